import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
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

const usage = `npm run bench -- sources [--files 5000] [--versions 5000] [--repeat 5]`

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      files: { type: 'string', default: '5000' },
      versions: { type: 'string', default: '5000' },
      repeat: { type: 'string', default: '5' },
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

  const child = join(import.meta.dirname, 'sources/visit-once.ts')
  const keelson = (...work: string[]) => [process.execPath, child, ...work]
  const [signers, helm] = [builtSigners(), builtHelm()]
  const image = `${registry.host}/app`
  let pulls = 0
  const target = () => join(scratch.path, `${pulls++}`)
  const env = { ...process.env, HOME: scratch.path, NODE_COMPILE_CACHE: join(scratch.path, 'compiled') }
  const works: [string, (() => string[]) | undefined][] = [
    ['artifact unchanged: keelson', () => keelson('check', image)],
    ['artifact unchanged: crane digest', signers ? () => [signers, 'crane', 'digest', image] : undefined],
    ['artifact changed: keelson, with the artifact', () => keelson('pull', image)],
    ['artifact changed: crane pull', signers ? () => [signers, 'crane', 'pull', image, target()] : undefined],
    ['artifact changed: crane pull, and tar -x', signers ? () => pullAndUnpack(signers, image, target()) : undefined],
    ['chart: keelson', () => keelson('chart', charts.url)],
    ['chart: helm pull', helm ? () => [helm, 'pull', 'app', '--repo', charts.url, '-d', scratch.path] : undefined],
  ]
  const rows: (string | number)[][] = []
  for (const [name, command] of works) {
    if (!command) {
      console.log(`${name}: left out, the program is not built`)
      continue
    }
    const costs: Cost[] = []
    await costOf(command(), env) // what Node makes of the code is kept, as in a hub
    const before = registry.requests.length + charts.requests()
    for (let round = 0; round < repeat; round++) costs.push(await costOf(command(), env))
    rows.push([name, ...figuresOf(costs), (registry.requests.length + charts.requests() - before) / repeat])
  }
  console.log(
    `${files} files, an index of ${versions} versions, best of ${repeat}; the work itself leaves out the start of Node\n`,
  )
  console.log(table(['', 'wall ms', 'CPU ms', 'peak MB', 'work wall ms', 'work CPU ms', 'requests'], rows))
}

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
