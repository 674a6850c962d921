import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { houseOf, houses, mayImport, roomOf, rooms } from '../bed/floor-plan.ts'
import { cyclesOf } from '../bed/import-cycles.ts'
import { type Import, importsOf } from '../bed/imports-of.ts'
import { importedAs, offered } from '../docs/generators/libraries.ts'
import { appliesToHub, readsByOtherNames } from './hub-readers.ts'

/** The shape of this project: test/bed/floor-plan.ts, held by reading every import. */

/** Exceptions, each with its reason. Keep it short. */
const allowed: Readonly<Record<string, string>> = {
  'lib/foundations/kinds/schema/formats.ts > node:net': 'isIPv4 and isIPv6 only, which touch no network',
  'infra/hub-table.ts > ../lib/platform/adapters/aws/table-shape.ts':
    'data only: the keys and indexes that the adapter uses and infra makes',
  'infra/item-access.ts > ../lib/platform/adapters/aws/table-shape.ts':
    'data only: the partitions that the adapter uses and policies name',
  'infra/hub-key.ts > ../lib/platform/adapters/aws/encryption-context.ts':
    'data only: the names that the adapter writes and policies ask for',
  'lib/foundations/rules/ip-address.ts > node:net': 'BlockList and isIP only, which touch no network',
}

const reachingOut =
  /^(node:(fs|fs\/promises|net|tls|http|https|http2|dns|dns\/promises|dgram|child_process|cluster|worker_threads|sqlite|readline|repl|inspector)|undici|hono|@hono\/.*|commander|@aws-sdk\/.*)$/

/** What a file may not use because it comes through a port (tests fix it), and who provides the port. */
const ambient = /\b(Date\.now\(\)|new Date\(\)|Math\.random\(\)|process\.env\b)/
const mayUseAmbient = ['platform/adapters', 'compose', 'cli', 'console', 'functions', 'infra']

const topLevel = [
  ...['functions', 'lib', 'infra', 'events', 'test', 'docs'],
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'cdk.json', 'README.md', 'LICENSE'],
]

const longestFile = 500
const longestTests = 300

interface SourceFile {
  readonly path: string
  readonly room: string
  readonly text: string
  readonly imports: readonly Import[]
}

const root = join(import.meta.dirname, '../..')
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  .filter(Boolean)
const files = tracked.filter(path => /^(functions|lib|infra|events)\/.*\.tsx?$/.test(path)).flatMap(read)

function read(path: string): SourceFile[] {
  const text = contentOf(path)
  return text === undefined ? [] : [{ path, room: roomOf(path), text, imports: importsOf(text) }]
}

/** undefined: deleted in the work tree, not yet in the index. */
function contentOf(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch {
    return undefined
  }
}

const isRelative = (specifier: string) => specifier.startsWith('.')
const targetOf = (file: SourceFile, specifier: string) => normalize(join(dirname(file.path), specifier))
const isAllowed = (file: SourceFile, what: string) => `${file.path} > ${what}` in allowed

/** Fails with all findings at once, each on its line. */
function none(findings: readonly string[]): void {
  assert.ok(findings.length === 0, `\n  ${findings.join('\n  ')}\n`)
}

test('every folder of lib is a room of the floor plan', () => {
  const unknown = [...new Set(files.map(file => file.room))].filter(room => !(room in rooms))
  none(unknown.map(room => `lib/${room} is new: give it a row in test/bed/floor-plan.ts that says what it sees`))
})

test('imports point one way: a room sees only the rooms of its row', () => {
  const findings = files.flatMap(file =>
    file.imports
      .filter(({ from }) => isRelative(from))
      .flatMap(({ from, line }) => {
        const room = roomOf(targetOf(file, from))
        if (mayImport(file.room, room) || isAllowed(file, from)) return []
        const through =
          room === 'platform/adapters' ? 'only compose meets adapters: ask for the port' : advice(file.room)
        return [`${file.path}:${line} imports ${from}, but ${file.room} does not see ${room}; ${through}`]
      }),
  )
  none(findings)
})

test('no house imports from one after it', () => {
  const floor = (room: string) => (houses as readonly string[]).indexOf(houseOf(room))
  const upward = Object.entries(rooms)
    .filter(([room]) => floor(room) >= 0)
    .flatMap(([room, { sees }]) => sees.filter(seen => floor(seen) > floor(room)).map(seen => `${room} sees ${seen}`))
  none(upward)
})

test('one room speaks HTTP to servers outside: lib/platform/http, with policies that the others declare', () => {
  const client = /^(undici|node:https?|node:http2)$/
  none(
    files
      .filter(({ path }) => path.startsWith('lib/') && !/^lib\/(platform\/http|hub\/apiserver)\//.test(path))
      .flatMap(({ path, imports }) =>
        imports
          .filter(({ from }) => client.test(from))
          .map(({ from, line }) => `${path}:${line} imports ${from}: take an HttpAgent, and declare an HttpPolicy`),
      ),
  )
})

function advice(room: string): string {
  const sees = rooms[room]?.sees ?? []
  return `${sees.length > 0 ? `it sees ${sees.join(', ')}` : 'it sees no other room'}: move what both need there, or pass it in`
}

test('pure rooms reach no files, networks, processes or databases', () => {
  none(
    files
      .filter(file => rooms[file.room]?.pure)
      .flatMap(file =>
        file.imports
          .filter(({ from }) => reachingOut.test(from) && !isAllowed(file, from))
          .map(
            ({ from, line }) =>
              `${file.path}:${line} imports ${from}, but ${file.room} is pure: take data, or a port, as an argument`,
          ),
      ),
  )
})

test('time, chance and the environment come through ports and settings', () => {
  none(
    files
      .filter(file => !mayUseAmbient.includes(file.room))
      .flatMap(file =>
        file.text.split('\n').flatMap((line, i) => {
          const used = ambient.exec(line)?.[1]
          if (!used || /^\s*(\/\/|\/?\*)/.test(line)) return []
          return [
            `${file.path}:${i + 1} uses ${used}: take a Clock, a Random or a setting as an argument, so that tests can fix it`,
          ]
        }),
      ),
  )
})

test('what a spec refers to is read through lib/hub/references, which knows on whose behalf', () => {
  const reconcilers = files.filter(
    ({ path }) => /^lib\/reconcile\/(?!runtime\/)/.test(path) && !(path in readsByOtherNames),
  )
  const listeners = files.filter(
    ({ path }) => /^lib\/signals\/(notify|webhook)\//.test(path) && !(path in readsByOtherNames),
  )
  const hubImports = [...reconcilers, ...listeners].flatMap(file =>
    file.imports
      .filter(({ from }) => isRelative(from) && roomOf(targetOf(file, from)) === 'hub/store')
      .map(
        ({ from, line }) =>
          `${file.path}:${line} imports ${from}: take References, or say why not in test/unit/hub-readers.ts`,
      ),
  )
  const secretReads = files
    .filter(({ path }) => !/^lib\/hub\/(store|references)\//.test(path) && !(path in readsByOtherNames))
    .filter(file => file.imports.some(({ from }) => from.endsWith('/read-secret.ts')))
    .map(({ path }) => `${path} reads Secrets of the hub: use References.localSecret`)
  const calls = reconcilers.flatMap(({ path, text }) => {
    const direct = /\b(?:objects|store)\.(?:get|list)\(/.test(text) && /ObjectStore/.test(text)
    const asHub = /\bhubCluster\(/.test(text) && !appliesToHub.includes(path)
    return [
      ...(direct ? [`${path} reads the store: take References`] : []),
      ...(asHub ? [`${path} asks for the hub as a cluster: pass hubCluster on to lib/hub/references`] : []),
    ]
  })
  const known = new Set(files.map(({ path }) => path))
  const unneeded = [...Object.keys(readsByOtherNames), ...appliesToHub]
    .filter(path => !known.has(path))
    .map(path => `${path}: there is no such file`)
  none([...hubImports, ...secretReads, ...calls, ...unneeded])
})

// Types count as well: files that name each other's types can only be understood together.
test('no imports in a circle, those of types included', () => {
  const graph = new Map(
    files.map(file => [file.path, file.imports.filter(i => isRelative(i.from)).map(i => targetOf(file, i.from))]),
  )
  none(cyclesOf(graph).map(cycle => `${cycle.join(' -> ')}: move what both need into a file of its own, or pass it in`))
})

test(`no file is longer than ${longestFile} lines`, () => {
  none(
    files
      .map(({ path, text }) => ({ path, lines: text.split('\n').length }))
      .filter(({ lines }) => lines > longestFile)
      .map(({ path, lines }) => `${path} has ${lines} lines: it does several things; give each a file named after it`),
  )
})

test('most files are short: the half is under 100 lines, and hardly any over 300', () => {
  const lengths = files.map(({ text }) => text.split('\n').length).sort((a, b) => a - b)
  const median = lengths[Math.floor(lengths.length / 2)]!
  assert.ok(median < 100, `the median is ${median} lines`)
  const long = lengths.filter(lines => lines > 300).length
  assert.ok(long <= 5, `${long} files have more than 300 lines: cut those that do several things`)
})

test(`no file of tests is longer than ${longestTests} lines`, () => {
  none(
    tracked
      .filter(path => /^test\/.*\.test\.ts$/.test(path))
      .map(path => ({ path, lines: contentOf(path)?.split('\n').length ?? 0 }))
      .filter(({ lines }) => lines > longestTests + 1)
      .map(({ path, lines }) => `${path} has ${lines - 1} lines: cut it by story`),
  )
})

test('files are named after what they define', () => {
  const vague = /\/(utils?|helpers?|types|common|misc|shared|index|constants)\.ts$/
  const kebab = /^[a-z0-9]+([-.][a-z0-9]+)*\.tsx?$/
  none([
    ...tracked.filter(path => vague.test(`/${path}`)).map(path => `${path}: name it after its main export`),
    ...files
      .filter(({ path }) => !kebab.test(path.split('/').at(-1)!))
      .map(({ path }) => `${path}: name it in kebab-case`),
  ])
})

test('the top level has no new folders', () => {
  const entries = new Set(tracked.map(path => path.split('/')[0]!))
  none(
    [...entries]
      .filter(name => !name.startsWith('.') && !topLevel.includes(name))
      .map(name => `${name}: find it a room below`),
  )
})

test('every exception is still needed', () => {
  const imports = new Set(files.flatMap(file => file.imports.map(({ from }) => `${file.path} > ${from}`)))
  none(
    Object.keys(allowed)
      .filter(key => !imports.has(key))
      .map(key => `${key}: take it out of \`allowed\``),
  )
})

test('the package exports what docs/libraries.md shows, and nothing else', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: unknown }
  const shown = offered.flatMap(({ modules }) => modules)
  const expected = shown.map(module => [
    importedAs(module).replace('keelson', '.'),
    { types: `./dist/engines/${module}.d.ts`, default: `./dist/engines/${module}.js` },
  ])
  assert.deepEqual(exports, Object.fromEntries(expected))
})
