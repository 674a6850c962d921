import { join } from 'node:path'

/**
 * Path of `keelson.js`, as users run it. `npm test` makes it as the package has it, once for all files: that starts in half the time of the
 * sources, and a run starts it thousands of times. Without `npm test` it is that of the sources.
 */
export const program = process.env.KEELSON_TEST_PROGRAM ?? join(import.meta.dirname, '../../lib/cli/keelson.js')
