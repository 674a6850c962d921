import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tarGzip } from '../../bed/tar-gzip.ts'

export interface ChartRepository extends AsyncDisposable {
  readonly url: string
  /** Adds a version of the chart `app`: one ConfigMap, which says the version, and one ServiceAccount, so that nothing waits for pods. */
  publish(version: string): void
}

/** A Helm repository over HTTP with one small chart, still without a version. */
export const startChartRepository = async (): Promise<ChartRepository> => {
  const files = new Map<string, Buffer>()
  const entries: string[] = []
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? '')
    response.writeHead(file ? 200 : 404, { 'content-length': file?.length ?? 0 }).end(file)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publish: version => {
      const archive = tarGzip(chartFiles(version))
      const digest = createHash('sha256').update(archive).digest('hex')
      entries.push(
        `  - {apiVersion: v2, name: app, version: ${version}, urls: [app-${version}.tgz], digest: ${digest}, created: 2024-01-01T00:00:00Z}\n`,
      )
      files.set(`/app-${version}.tgz`, archive)
      files.set(
        '/index.yaml',
        Buffer.from(`apiVersion: v1\ngenerated: 2024-01-01T00:00:00Z\nentries:\n  app:\n${entries.join('')}`),
      )
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const chartFiles = (version: string) => ({
  'app/Chart.yaml': `apiVersion: v2\nname: app\nversion: ${version}\n`,
  'app/values.yaml': 'greeting: hello\n',
  'app/templates/configmap.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Name }}"}\ndata: {version: "{{ .Chart.Version }}", greeting: "{{ .Values.greeting }}"}\n',
  'app/templates/serviceaccount.yaml':
    'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: "{{ .Release.Name }}"}\n',
})
