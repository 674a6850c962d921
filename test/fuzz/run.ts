/**
 * `npm run fuzz`: lists the fuzzers; `npm run fuzz -- kustomize --minutes 10 --seed 7` runs one, and so does
 * `npm run fuzz -- kustomize --trees 10000`, for as long as that takes. A fuzzer is a file of
 * this folder that exports `description` (one line) and `run(settings)`; it ends early when it found something.
 */
import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'

export interface FuzzSettings {
  readonly seed: number
  /** When to stop, by performance.now(). */
  readonly until: number
  /** How many inputs to try at most. */
  readonly trees: number
  /** Further material, for fuzzers that take some. */
  readonly folder: string | undefined
}

interface Fuzzer {
  readonly description: string
  run(settings: FuzzSettings): Promise<void>
}

const fuzzers = new Map<string, Fuzzer>()
for (const file of globSync('*.ts', { cwd: import.meta.dirname }).sort()) {
  if (file === basename(import.meta.filename)) continue
  const module: Partial<Fuzzer> = await import(`./${file}`)
  if (module.description && module.run) fuzzers.set(basename(file, '.ts'), module as Fuzzer)
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    minutes: { type: 'string' },
    trees: { type: 'string' },
    folder: { type: 'string' },
    help: { type: 'boolean' },
  },
})
const fuzzer = fuzzers.get(positionals[0] ?? '')
if (fuzzer && !values.help) {
  const seed = Number(values.seed ?? Date.now() % 2 ** 31)
  const trees = Number(values.trees ?? Number.POSITIVE_INFINITY)
  const minutes = Number(values.minutes ?? (values.trees ? Number.POSITIVE_INFINITY : 1))
  console.log(`seed ${seed}, ${values.trees ? `${trees} trees` : `${minutes} minutes`}`)
  await fuzzer.run({ seed, trees, folder: values.folder, until: performance.now() + minutes * 60_000 })
} else {
  console.log('npm run fuzz -- NAME [--minutes 1 | --trees N] [--seed N] [--folder DIR]\n')
  for (const [name, { description }] of fuzzers) console.log(`  ${name.padEnd(13)} ${description}`)
  process.exitCode = positionals[0] && !fuzzer ? 2 : 0
}
