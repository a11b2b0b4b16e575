/** The version of this package; `test/pins` holds it equal to package.json. */
export const VERSION = "0.1.0";
