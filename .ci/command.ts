/** `node .ci/command.ts DIR`: bundles the command for the package. Each command becomes files of its own, loaded when it is called. */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { leanPackages } from '../infra/lean-packages.ts'
import { nodeBundle } from '../infra/node-bundle.ts'
import { lateBuiltins } from './late-builtins.ts'

const lib = join(import.meta.dirname, '../lib')

/** What the program starts with, and what it loads by name (`lib/cli/keelson.js`, `lib/compose/embedded.ts`). */
const entries = ['cli/program.ts', 'cli/launch.ts', 'compose/heavy-work-thread.ts']

/** Commands that are a script each: `lib/cli/cached-script.ts`. */
const scripts = { 'helm-template': 'cli/helm/template-program.ts' }

const shared = {
  ...nodeBundle,
  // Whitespace only: names stay in stack traces.
  minifyWhitespace: true,
  legalComments: 'none',
  // As the Lambdas have it: a runner holds all its code for as long as it waits.
  plugins: [leanPackages, lateBuiltins],
  // Optional addons of ssh2; and a library under the LGPL, which whoever installs the package can replace.
  external: ['*.node', 'openpgp'],
} satisfies BuildOptions

/** All files lie in one folder, so that modules named by URL stand beside whatever names them. A bundle starts in half the time of its modules. */
export const bundleCommand = async (directory: string): Promise<void> => {
  await build({
    ...shared,
    entryPoints: entries.map(entry => join(lib, entry)),
    outdir: directory,
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
  })
  for (const [name, entry] of Object.entries(scripts))
    await bundleScript(join(lib, entry), join(directory, `${name}.cjs`))
}

const bundleScript = async (entry: string, file: string): Promise<void> => {
  const { outputFiles } = await build({
    ...shared,
    ...{ entryPoints: [entry], outfile: file, write: false },
    ...{ format: 'cjs', splitting: false, banner: {} },
  })
  const { text } = outputFiles[0]!
  writeFileSync(file, `//${createHash('sha256').update(text).digest('hex')}\n${text}`)
}

if (import.meta.main) await bundleCommand(process.argv[2]!)
