/** `node .ci/command.ts DIR`: bundles the command for the package. Each command becomes files of its own, loaded when it is called. */
import { join } from 'node:path'
import { build } from 'esbuild'
import { nodeBundle } from '../infra/node-bundle.ts'

const lib = join(import.meta.dirname, '../lib')

/** What the program starts with, and what it loads by name (`lib/cli/keelson.js`, `lib/compose/embedded.ts`). */
const entries = ['cli/program.ts', 'cli/process-policy.ts', 'compose/heavy-work-thread.ts']

/** All files lie in one folder, so that modules named by URL stand beside whatever names them. A bundle starts in half the time of its modules. */
export const bundleCommand = async (directory: string): Promise<void> => {
  await build({
    ...nodeBundle,
    entryPoints: entries.map(entry => join(lib, entry)),
    outdir: directory,
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    // Whitespace only: names stay in stack traces.
    minifyWhitespace: true,
    legalComments: 'none',
    // Optional addons of ssh2; and a library under the LGPL, which whoever installs the package can replace.
    external: ['*.node', 'openpgp'],
  })
}

if (import.meta.main) await bundleCommand(process.argv[2]!)
