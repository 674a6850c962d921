import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tarGzip } from '../../../bed/tar-gzip.ts'
import { bytesOf, type Files } from '../scenario.ts'
import { chartName, packed } from './oci.ts'
import type { Serve } from './server.ts'

interface RecordedHelmRepository {
  readonly charts: readonly Files[]
  readonly noIndex?: boolean
  readonly rawIndex?: string
}

const password = `Basic ${btoa('user:secret-password')}`

/** The Helm repositories of a scenario over HTTP; the same again at an address that wants `user` and `secret-password`. */
export const serveHelm: Serve = async ({ helm }) => {
  if (!helm) return undefined
  const repositories = helm as Readonly<Record<string, RecordedHelmRepository>>
  const files = new Map<string, Buffer>()
  const publish = (name: string, repository: RecordedHelmRepository): void => {
    for (const path of files.keys()) if (path.startsWith(`/${name}/`)) files.delete(path)
    const archives = repository.charts.map(chart => ({
      chart,
      content: tarGzip(packed(chart, `${chartName(chart)}/`)),
    }))
    for (const { chart, content } of archives) files.set(`/${name}/${fileOf(chart)}`, content)
    if (!repository.noIndex) {
      files.set(`/${name}/index.yaml`, Buffer.from(repository.rawIndex ?? indexOf(archives)))
    }
  }
  for (const [name, repository] of Object.entries(repositories)) publish(name, repository)

  const serve = async (authorization?: string) => {
    const server = createServer((request, response) => {
      const path = request.url ?? '/'
      if (authorization && request.headers.authorization !== authorization) return void response.writeHead(401).end()
      const content = files.get(path)
      if (!content) return void response.writeHead(404).end()
      response.end(content)
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }
  const [open, closed] = [await serve(), await serve(password)]
  return {
    placeholders: new Map([
      ['HELM_URL', open.url],
      ['HELM_AUTH_URL', closed.url],
    ]),
    operations: {
      async publishHelm({ repo, charts }: { readonly repo: string; readonly charts: readonly Files[] }) {
        publish(repo, { charts })
      },
    },
    async [Symbol.asyncDispose]() {
      for (const { server } of [open, closed]) {
        server.closeAllConnections()
        await new Promise(resolve => server.close(resolve))
      }
    },
  }
}

const fieldOf = (chart: Files, field: string): string =>
  new RegExp(`^${field}: *"?([^"\n]+)`, 'm').exec(bytesOf(chart['Chart.yaml']!).toString())![1]!

const appVersionOf = (chart: Files): readonly string[] =>
  /^appVersion:/m.test(bytesOf(chart['Chart.yaml']!).toString())
    ? [`    appVersion: ${fieldOf(chart, 'appVersion')}`]
    : []

const fileOf = (chart: Files): string => `${chartName(chart)}-${fieldOf(chart, 'version')}.tgz`

/** As the index of the recordings was written, byte for byte: its digest stands in them. */
const indexOf = (archives: readonly { readonly chart: Files; readonly content: Buffer }[]): string => {
  const names = [...new Set(archives.map(({ chart }) => chartName(chart)))].sort()
  const entries = names.flatMap(name => [
    `  ${name}:`,
    ...archives
      .filter(({ chart }) => chartName(chart) === name)
      .flatMap(({ chart, content }) => [
        `  - apiVersion: ${fieldOf(chart, 'apiVersion')}`,
        ...appVersionOf(chart),
        `    created: '2024-01-01T00:00:00Z'`,
        `    digest: ${createHash('sha256').update(content).digest('hex')}`,
        `    name: ${name}`,
        '    urls:',
        `    - ${fileOf(chart)}`,
        `    version: ${fieldOf(chart, 'version')}`,
      ]),
  ])
  return `apiVersion: v1\nentries:\n${entries.join('\n')}\ngenerated: '2024-01-01T00:00:00Z'\n`
}
