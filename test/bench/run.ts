/**
 * `npm run bench`: lists the benches; `npm run bench -- mttp --n 100` runs one with its arguments.
 * A bench is a file of this folder that exports `description` (one line) and `run(args)`.
 */
import { globSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { basename } from 'node:path'

interface Bench {
  readonly description: string
  run(args: readonly string[]): Promise<void>
}

const benches = new Map<string, Bench>()
for (const file of globSync('*.ts', { cwd: import.meta.dirname }).sort()) {
  if (file === basename(import.meta.filename)) continue
  const module = (await import(`./${file}`)) as Partial<Bench>
  if (module.run && module.description) benches.set(basename(file, '.ts'), module as Bench)
}

const [name, ...args] = process.argv.slice(2)
const bench = benches.get(name ?? '')
if (bench) {
  console.log(machine())
  await bench.run(args)
  console.log(`\nload average at the end: ${load()}`)
} else {
  if (name) console.error(`no such bench: ${name}\n`)
  console.log('npm run bench -- NAME [arguments]\n')
  for (const [name, { description }] of benches) console.log(`  ${name.padEnd(12)} ${description}`)
  process.exitCode = name ? 2 : 0
}

function machine(): string {
  const [cpu] = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  return [
    `${cpus().length} x ${cpu?.model ?? 'unknown CPU'}, ${memory} GB, ${process.platform} ${process.arch}, Node ${process.version}`,
    `${new Date().toISOString()}, load average at the start: ${load()} (other work on the machine makes times longer; compare CPU seconds)`,
  ].join('\n')
}

function load(): string {
  return loadavg()
    .map(value => value.toFixed(1))
    .join(' ')
}
