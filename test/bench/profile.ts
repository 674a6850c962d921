import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { table } from './table.ts'

export const description = 'where the time of CPU profiles (node --cpu-prof) goes, by room and by function'

const usage = `npm run bench -- profile FILE_OR_DIRECTORY [--count N] [--from SECONDS] [--to SECONDS] [--top 25]

  --count     of how many units of work; the table is in milliseconds for each
  --from, --to  of the profile's own time
  --top       how many functions to list`

/** What `node --cpu-prof` writes: a tree of calls, and which node was on top at each sample. Times in microseconds. */
interface Profile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
}

/** Self times in milliseconds, the largest first. */
export interface Spent {
  readonly rooms: readonly (readonly [room: string, ms: number])[]
  readonly functions: readonly (readonly [name: string, ms: number])[]
}

/** Within these seconds of the profile. Leaves out time in which the thread had nothing to do, and the profiler's own. */
export const spentIn = (profile: Profile, from = 0, to = Number.POSITIVE_INFINITY): Spent => {
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]))
  const [rooms, functions] = [new Map<string, number>(), new Map<string, number>()]
  let elapsed = 0
  for (const [at, sample] of profile.samples.entries()) {
    const ms = profile.timeDeltas[at]! / 1000
    elapsed += ms
    const { functionName, url, lineNumber } = frames.get(sample)!
    if (elapsed < from * 1000 || elapsed > to * 1000 || functionName === '(idle)' || url === 'node:inspector') continue
    const room = roomOf(url, functionName)
    const name = url ? `${functionName || '(anonymous)'} ${fileOf(url)}:${lineNumber + 1}` : functionName
    rooms.set(room, (rooms.get(room) ?? 0) + ms)
    functions.set(name, (functions.get(name) ?? 0) + ms)
  }
  return { rooms: largestFirst(rooms), functions: largestFirst(functions) }
}

const largestFirst = (times: ReadonlyMap<string, number>) => [...times].sort(([, a], [, b]) => b - a)

const fileOf = (url: string): string =>
  url.includes('node_modules/') ? url.replace(/^.*(?=node_modules\/)/, '') : url.replace(/^.*?\/(?=(?:lib|test)\/)/, '')

/** `lib/hub/store`, `node_modules/undici`, `node:internal/streams`; V8's own parts have no file. */
const roomOf = (url: string, functionName: string): string => {
  if (url === '') return functionName === '(garbage collector)' ? 'garbage collector' : 'V8 and system calls'
  const file = fileOf(url)
  const [, room] =
    /^(node_modules\/(?:@[^/]+\/)?[^/]+|(?:lib|test)\/[^/]+\/[^/]+|node:internal\/[^/]+)/.exec(file) ?? []
  return room ?? file
}

export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      count: { type: 'string', default: '1' },
      from: { type: 'string', default: '0' },
      to: { type: 'string', default: 'Infinity' },
      top: { type: 'string', default: '25' },
      help: { type: 'boolean', default: false },
    },
  })
  const [path] = positionals
  if (values.help || !path) return console.log(usage)
  const files = path.endsWith('.cpuprofile') ? [path] : globSync(join(path, '*.cpuprofile'))
  if (files.length === 0) throw new Error(`${path}: no *.cpuprofile`)
  for (const file of files) {
    const { rooms, functions } = spentIn(
      JSON.parse(readFileSync(file, 'utf8')) as Profile,
      Number(values.from),
      Number(values.to),
    )
    const all = rooms.reduce((sum, [, ms]) => sum + ms, 0)
    const rows = (times: Spent['rooms']) =>
      times.map(([what, ms]) => [what, (ms / Number(values.count)).toFixed(2), `${((100 * ms) / all).toFixed(1)} %`])
    const unit = values.count === '1' ? 'ms' : 'ms each'
    console.log(`\n${basename(file)}: ${Math.round(all)} ms of the main thread\n`)
    console.log(table(['room', unit, 'share'], rows(rooms.filter(([, ms]) => ms >= all / 200))))
    console.log(`\n${table(['function', unit, 'share'], rows(functions.slice(0, Number(values.top))))}`)
  }
}
