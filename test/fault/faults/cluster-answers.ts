import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { adminOf, readyOf } from '../../attack/world.ts'
import { eventually } from '../../bed/eventually.ts'
import type { Fault } from '../fault.ts'

const answers: Readonly<Record<string, { readonly type: string; readonly body: string }>> = {
  object: { type: 'application/json', body: '{}' },
  list: { type: 'application/json', body: '[]' },
  page: { type: 'text/html', body: '<!doctype html><title>Welcome to nginx!</title>' },
  half: { type: 'application/json', body: '{"kind":"APIVersions","versions":["v1' },
  nothing: { type: 'application/json', body: '' },
  fields: { type: 'application/json', body: '{"kind":"APIGroupDiscoveryList","items":[{"versions":[null]}]}' },
}

export const clusterAnswerFaults: readonly Fault[] = [
  {
    name: 'something else than a cluster answers at the address of a kubeconfig',
    quick: true,
    async play({ hub: start, repo: serve, use }) {
      const server = createServer(({ url }, response) => {
        const { type, body } = answers[url!.split('/')[1]!]!
        response.writeHead(200, { 'content-type': type }).end(body)
      })
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
      use({
        [Symbol.asyncDispose]: async () => {
          server.closeAllConnections()
          await new Promise(resolve => server.close(resolve))
        },
      })
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const [hub, repo] = await Promise.all([
        start(),
        serve({ 'a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n' }),
      ])
      await hub.apply(
        `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: app, namespace: default}
spec: {url: '${repo.url}', ref: {branch: main}, interval: 1h}
---` +
          Object.keys(answers)
            .map(name => unit(name, `${address}/${name}`))
            .join(''),
      )
      for (const name of Object.keys(answers)) {
        const path = `/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/default/kustomizations/${name}`
        const ready = await eventually(async () => {
          const found = await readyOf(adminOf(hub), path)
          return found?.status === 'False' && !found.message?.includes('retrying in') ? found : null
        })
        assert.match(ready.message ?? '', new RegExp(`${address}/${name} does not answer as a Kubernetes API does`))
        assert.match(ready.message ?? '', /check the server in the kubeconfig/)
        assert.doesNotMatch(ready.message ?? '', /undefined|Cannot read|is not a function|nginx/)
      }
      return 'the condition names the address, and says to check the kubeconfig'
    },
  },
]

const unit = (name: string, server: string): string => `
apiVersion: v1
kind: Secret
metadata: {name: ${name}, namespace: default}
stringData:
  value: |
    apiVersion: v1
    kind: Config
    current-context: a
    contexts: [{name: a, context: {cluster: a, user: a}}]
    clusters: [{name: a, cluster: {server: '${server}'}}]
    users: [{name: a, user: {token: t}}]
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: default}
spec:
  interval: 1h
  prune: true
  path: ./
  sourceRef: {kind: GitRepository, name: app}
  kubeConfig: {secretRef: {name: ${name}}}
---`
