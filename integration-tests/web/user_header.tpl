{* SPDX-License-Identifier: Apache-2.0 *}
{* What the front end shows at the top of each page of the demo. *}
<div id="emulated" style="background:#ffe08a;color:#000;padding:6px 12px;font-family:sans-serif;font-size:14px">
  <b>This is a demo on an emulated machine.</b> Everything takes many times as long here as on a node, the sensor included:
  its costs on these pages are not a node's.
</div>
