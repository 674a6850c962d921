import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bundle } from '../../infra/bundle.ts'
import { builtHelm } from '../bed/helm-binary.ts'
import { pushImage } from '../bed/push-image.ts'
import { registryServer } from '../bed/registry-server.ts'
import { builtSigners } from '../bed/signers-binary.ts'
import { tarGzip } from '../bed/tar-gzip.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { type Cost, costOf, figuresOf } from './command-cost.ts'
import { manifests } from './git-fetch.ts'
import { table } from './table.ts'

export const description = 'pulling artifacts and charts, beside crane and helm (for git see git-fetch)'

const usage = `npm run bench -- sources [--files 5000] [--versions 5000] [--repeat 5] [--warm 10]

  --files     how many manifests are in the artifact
  --versions  how many versions the index of the chart repository lists
  --repeat    processes of each kind; the best time and the largest memory count
  --warm      how many visits a process has behind it before the one that counts as warm

Ours run bundled, as on Lambda. "cold" is a whole process that makes one visit, as crane and helm are; "warm" is a visit of a
process that goes on living, as a hub does.`

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      files: { type: 'string', default: '5000' },
      versions: { type: 'string', default: '5000' },
      repeat: { type: 'string', default: '5' },
      warm: { type: 'string', default: '10' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage)
  const [files, versions, repeat] = [values.files, values.versions, values.repeat].map(Number) as [
    number,
    number,
    number,
  ]
  await using registry = await registryServer()
  const layer = { mediaType: 'application/vnd.cncf.flux.content.v1.tar+gzip', content: tarGzip(manifests(files)) }
  await pushImage({ layers: [layer] }, { origin: registry.directOrigin, repository: 'app', tags: ['latest'] })
  await using charts = await chartServer(versions)
  await using scratch = disposableDir()

  const programs = join(scratch.path, 'programs')
  await bundle({ visit: join(import.meta.dirname, 'sources/visit-once.ts') }, programs)
  const keelson = (...work: string[]) => [process.execPath, join(programs, 'visit.mjs'), ...work]
  const [signers, helm] = [builtSigners(), builtHelm()]
  const image = `${registry.host}/app`
  let pulls = 0
  const target = () => join(scratch.path, `${pulls++}`)
  const env = { ...process.env, HOME: scratch.path, NODE_COMPILE_CACHE: join(scratch.path, 'compiled') }
  const works: Work[] = [
    { name: 'artifact unchanged: keelson', command: () => keelson('check', image), canBeWarm: true },
    { name: 'artifact unchanged: crane digest', command: by(signers, crane => [crane, 'crane', 'digest', image]) },
    { name: 'artifact changed: keelson, unpacked and packed', command: () => keelson('pull', image), canBeWarm: true },
    { name: 'crane pull, only stored', command: by(signers, crane => [crane, 'crane', 'pull', image, target()]) },
    { name: 'crane pull, tar -x', command: by(signers, crane => pullAndUnpack(crane, image, target())) },
    { name: 'crane export | gzip, in memory', command: by(signers, crane => exportAndPack(crane, image)) },
    { name: 'chart: keelson', command: () => keelson('chart', charts.url), canBeWarm: true },
    { name: 'helm pull', command: by(helm, helm => [helm, 'pull', 'app', '--repo', charts.url, '-d', scratch.path]) },
  ]
  const requests = () => registry.requests.length + charts.requests()
  const rows: (string | number)[][] = []
  for (const { name, command, canBeWarm } of works) {
    if (!command) {
      console.log(`${name}: left out, the program is not built`)
      continue
    }
    const [cold, warm]: [Cost[], Cost[]] = [[], []]
    await costOf(command(), env) // what Node makes of the code is kept, as in a hub
    const before = requests()
    for (let round = 0; round < repeat; round++) cold.push(await costOf(command(), env))
    const asked = (requests() - before) / repeat
    for (let round = 0; canBeWarm && round < repeat; round++) warm.push(await costOf([...command(), values.warm], env))
    rows.push([name, ...figuresOf(cold).slice(0, 3), asked, ...figuresOf(warm).slice(3), canBeWarm ? peakOf(warm) : ''])
  }
  console.log(
    `${files} files, an index of ${versions} versions, best of ${repeat}; warm: after ${values.warm} visits\n`,
  )
  const cold = ['cold: wall ms', 'CPU ms', 'peak MB', 'requests']
  console.log(table(['', ...cold, 'warm: wall ms', 'CPU ms', 'peak MB'], rows))
}

interface Work {
  readonly name: string
  /** Absent when the program is not there. */
  readonly command: (() => string[]) | undefined
  /** It can make more visits than one. */
  readonly canBeWarm?: true
}

const by = (program: string | undefined, commandOf: (program: string) => string[]) =>
  program === undefined ? undefined : () => commandOf(program)

const peakOf = (costs: readonly Cost[]): number => Math.round(Math.max(...costs.map(({ peakMb }) => peakMb)))

/** What comes nearest to ours among crane's own: nothing touches the disk, and nothing is left out or put in order. */
const exportAndPack = (signers: string, image: string): string[] => [
  ...['sh', '-c', '"$1" crane export "$2" - | gzip -6 | sha256sum', 'sh', signers, image],
]

/** crane stores what it pulls: the files of the layer are in an archive in an archive. */
const pullAndUnpack = (signers: string, image: string, target: string): string[] => [
  ...[
    'sh',
    '-c',
    'mkdir "$3" && "$1" crane pull "$2" "$3/image.tar" && cd "$3" && tar -xf image.tar && tar -xzf ./*.tar.gz',
  ],
  ...['sh', signers, image, target],
]

/** A chart repository with many versions, of which all are the same archive. */
const chartServer = async (versions: number) => {
  const archive = tarGzip({ 'app/Chart.yaml': `apiVersion: v2\nname: app\nversion: 1.0.${versions - 1}\n` })
  const entries = Array.from(
    { length: versions },
    (_, patch) =>
      `  - apiVersion: v2\n    name: app\n    version: 1.0.${patch}\n    description: A chart for a bench\n    created: "2024-01-01T00:00:00Z"\n    urls:\n    - app.tgz\n`,
  )
  const index = `apiVersion: v1\nentries:\n  app:\n${entries.join('')}generated: "2024-01-01T00:00:00Z"\n`
  let requests = 0
  const server = createServer(({ url }, response) => {
    requests++
    response.end(url === '/index.yaml' ? index : archive)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
