import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { helmBinary } from '../bed/helm-binary.ts'
import { endWithTest } from '../bed/teardown.ts'
import { tempDir } from '../bed/temp-dir.ts'

const chart = {
  'podinfo/Chart.yaml': 'apiVersion: v2\nname: podinfo\nversion: 6.9.0\n',
  'podinfo/values.yaml': 'replicaCount: 1\n',
  'podinfo/templates/deployment.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}, namespace: {{ .Release.Namespace }}}
spec:
  replicas: {{ .Values.replicaCount }}
  selector: {matchLabels: {app: podinfo}}
  template:
    metadata: {labels: {app: podinfo}}
    spec: {containers: [{name: podinfo, image: podinfo}]}
`,
}

/** A Helm repository with one chart, as `helm package` and `helm repo index` make it. Returns its address; ends with the test. */
export const chartServer = async (): Promise<string> => {
  const folder = tempDir(chart)
  const helm = await helmBinary()
  const run = (...args: string[]) => promisify(execFile)(helm, args, { cwd: folder })
  await run('package', 'podinfo')
  await run('repo', 'index', '.')
  const server = createServer(async ({ url = '/' }, response) => {
    const content = await readFile(join(folder, new URL(url, 'http://charts').pathname)).catch(() => undefined)
    response.writeHead(content ? 200 : 404).end(content)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  endWithTest({
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
