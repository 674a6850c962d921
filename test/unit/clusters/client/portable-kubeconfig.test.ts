import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseKubeconfig } from '../../../../lib/clusters/client/kubeconfig.ts'
import { portableKubeconfig } from '../../../../lib/clusters/client/portable-kubeconfig.ts'

const kubeconfig = `
apiVersion: v1
kind: Config
current-context: one
clusters:
- {name: c, cluster: {server: "https://127.0.0.1:6443", certificate-authority: ca.pem, tls-server-name: kubernetes}}
users:
- {name: u, user: {token: t0ken, as: admin, as-groups: [ops]}}
contexts:
- {name: one, context: {cluster: c, user: u}}
- {name: two, context: {cluster: c, user: u}}
`
const readFile = (path: string) => `contents of ${path}`

test('a portable kubeconfig gives the same access without the files it was made from', () => {
  const portable = portableKubeconfig(kubeconfig, { context: 'two', readFile })
  assert.deepEqual(parseKubeconfig(portable.text), parseKubeconfig(kubeconfig, { context: 'two', readFile }))
  assert.equal(portable.server, 'https://127.0.0.1:6443')
})
