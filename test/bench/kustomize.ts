import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { dirname, join, relative } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { BuildCache, type BuildOptions, build, printResources } from '../../lib/engines/kustomize/build.ts'
import { program } from '../bed/keelson-program.ts'
import { kustomizeBinary } from '../bed/kustomize-oracle.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { memoryTree } from '../conformance/memory-tree.ts'
import { benchTrees, writeFiles } from './bench-trees.ts'
import { table } from './table.ts'

export const description =
  'building trees of 2, 100 and 2,000 objects, and of large CustomResourceDefinitions, beside the real kustomize'

const usage = `npm run bench -- kustomize [--trees small,medium,large,crds,many-crds] [--warm 20] [--cold 5] [--folder DIR] [--cpu-prof DIR]

  --folder    a checkout; --trees are then paths of kustomizations in it
  --cpu-prof  writes a profile of the warm builds of each tree there, for npm run bench -- profile`

/** The other program builds as Flux does. */
const asTheirs = ['--reorder', 'none', '--load-restrictor', 'LoadRestrictionsNone']

/** A process's cost, with the digest of what it printed. */
const accountant = `
import hashlib, json, resource, subprocess, sys, time
started = time.time()
out = subprocess.run(sys.argv[1:], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
wall = time.time() - started
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"wall": wall * 1000, "cpu": (usage.ru_utime + usage.ru_stime) * 1000, "peak": usage.ru_maxrss / 1024,
  "digest": hashlib.sha256(out).hexdigest()}))
`

interface Cost {
  readonly wall: number
  readonly cpu: number
  readonly peak: number
  readonly digest: string
}

const processCost = async (...command: string[]): Promise<Cost> => {
  const { stdout } = await promisify(execFile)('python3', ['-c', accountant, ...command])
  return JSON.parse(stdout) as Cost
}

/** The least that processes cost, started one after the other and again, so that other work on the machine hits all alike. */
const leastCosts = async (
  times: number,
  commands: { readonly theirs: readonly string[]; readonly ours: readonly string[] },
): Promise<{ readonly theirs: Cost; readonly ours: Cost }> => {
  let least: { theirs: Cost; ours: Cost } | undefined
  for (let i = 0; i < times; i++) {
    const theirs = await processCost(...commands.theirs)
    const ours = await processCost(...commands.ours)
    least = { theirs: lesser(theirs, least?.theirs), ours: lesser(ours, least?.ours) }
  }
  return least!
}

const lesser = (cost: Cost, before: Cost = cost): Cost => ({
  digest: cost.digest,
  wall: Math.min(cost.wall, before.wall),
  cpu: Math.min(cost.cpu, before.cpu),
  peak: Math.min(cost.peak, before.peak),
})

/**
 * The least CPU time of building a tree again and again in this process: from nothing, with the cache of the build before and
 * one file that changed, and with that cache and no change. The last two differ by what the file costs.
 */
const warmCost = async (files: Record<string, string>, path: string, times: number) => {
  const cache = new BuildCache()
  const once = async (files: Record<string, string>, options: BuildOptions = {}) => {
    const tree = memoryTree(files)
    const before = process.cpuUsage()
    const output = printResources((await build(tree, path, options)).resources)
    const { user, system } = process.cpuUsage(before)
    return { cpu: (user + system) / 1000, output }
  }
  let best = Number.POSITIVE_INFINITY
  let changed = Number.POSITIVE_INFINITY
  let unchanged = Number.POSITIVE_INFINITY
  let output = ''
  const file = Object.keys(files)[0]!
  for (let i = 0; i < times; i++) {
    const run = await once(files)
    best = Math.min(best, run.cpu)
    output = run.output
    const edited = { ...files, [file]: `${files[file]}# ${i}\n` }
    changed = Math.min(changed, (await once(edited, { cache })).cpu)
    unchanged = Math.min(unchanged, (await once(edited, { cache })).cpu)
  }
  return { best, changed, unchanged, digest: createHash('sha256').update(output).digest('hex') }
}

/** All files of a checkout, by their paths in it. */
const filesBelow = (folder: string): Record<string, string> =>
  Object.fromEntries(
    globSync('**/*', { cwd: folder, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map(file => [relative(folder, file), readFileSync(file, 'utf8')]),
  )

/** Does the work, and writes a profile of it to the file, if one is named. */
const profiled = async <T>(file: string | undefined, work: () => Promise<T>): Promise<T> => {
  if (!file) return work()
  using session = Object.assign(new Session(), { [Symbol.dispose]: () => session.disconnect() })
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.start')
  const result = await work()
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify((await session.post('Profiler.stop')).profile))
  return result
}

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      trees: { type: 'string', default: 'small,medium,large,crds,many-crds' },
      warm: { type: 'string', default: '20' },
      cold: { type: 'string', default: '5' },
      folder: { type: 'string' },
      'cpu-prof': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage)
  const kustomize = await kustomizeBinary()
  const node = await processCost(process.execPath, '--eval', '0')
  await using scratch = disposableDir()
  const rows: (string | number)[][] = []
  for (const name of values.trees.split(',')) {
    const tree = values.folder ? { path: name, files: () => filesBelow(values.folder!) } : benchTrees[name]
    if (!tree) throw new Error(`no tree ${name}: ${usage}`)
    const files = tree.files()
    const checkout = values.folder ?? join(scratch.path, name)
    if (!values.folder) writeFiles(checkout, files)
    const directory = join(checkout, tree.path)
    const { theirs, ours } = await leastCosts(Number(values.cold), {
      theirs: [kustomize, directory],
      ours: [process.execPath, program, 'kustomize', directory, ...asTheirs],
    })
    const profile = values['cpu-prof'] && join(values['cpu-prof'], `${name.replaceAll('/', '-')}.cpuprofile`)
    const warm = await profiled(profile, () => warmCost(files, tree.path, Number(values.warm)))
    if (ours.digest !== theirs.digest || warm.digest !== theirs.digest) throw new Error(`${name}: the outputs differ`)
    const ratio = (theirs: number, ours: number): string => `${(theirs / ours).toFixed(1)}x`
    const row = (what: string, cpu: number, peak: number | string = '', wall: number | string = '', faster = '') =>
      rows.push([name, what, Math.round(cpu * 10) / 10, ratio(theirs.cpu, cpu), wall, faster, peak])
    row('bare Node', node.cpu, Math.round(node.peak), Math.round(node.wall))
    row('kustomize, a process', theirs.cpu, Math.round(theirs.peak), Math.round(theirs.wall))
    const peak = `${Math.round(ours.peak)} (${Math.round(ours.peak - node.peak)} beyond Node)`
    row('keelson, a process', ours.cpu, peak, Math.round(ours.wall), ratio(theirs.wall, ours.wall))
    row('keelson, warm', warm.best)
    row('keelson, one file changed', warm.changed)
    row('keelson, nothing changed', warm.unchanged)
  }
  console.log('\nAll outputs are equal, byte for byte. "faster" compares with the real process.\n')
  console.log(table(['tree', 'build', 'CPU ms', 'faster', 'wall ms', 'faster', 'peak MB'], rows))
}
