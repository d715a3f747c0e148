// SPDX-License-Identifier: Apache-2.0
package magnet.bench;

import java.io.IOException;
import java.util.List;
import magnet.control.PointInfo;

/** What a measurement needs of the module. All that it makes ends when it is closed. */
public interface Sensor extends AutoCloseable {
    /**
     * Makes a point, which is off.
     *
     * @throws magnet.control.ControlException if there can be none
     */
    PointInfo insert(String definition) throws IOException;

    /** Removes a point that was inserted. */
    void remove(PointInfo point) throws IOException;

    /** All points as they are now, whoever made them. */
    List<PointInfo> points() throws IOException;

    /**
     * Switches a point on.
     *
     * @param logged whether its events get a record each; otherwise a rule drops them
     * @return the number to switch it off by
     */
    long switchOn(PointInfo point, boolean logged) throws IOException;

    /** Ends what {@link #switchOn} began. */
    void switchOff(long subscription) throws IOException;

    /** Takes the records out of the buffer, and returns how many of a point's were of this process. */
    long takeEvents(PointInfo point) throws IOException;

    @Override
    void close() throws IOException;
}
