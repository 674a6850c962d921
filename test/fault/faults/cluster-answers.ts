import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { adminOf, readyOf } from '../../attack/world.ts'
import { eventually } from '../../bed/eventually.ts'
import { appRepository, unitFor } from '../../bed/fleet-objects.ts'
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
        appRepository(repo) +
          Object.keys(answers)
            .map(name => unitFor(`${address}/${name}`, name))
            .join(''),
      )
      for (const name of Object.keys(answers)) {
        const path = `/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/default/kustomizations/${name}`
        const ready = await eventually(async () => {
          const found = await readyOf(adminOf(hub), path)
          return found?.status === 'False' && !found.message?.includes('retrying in') ? found : null
        })
        assert.match(
          ready.message ?? '',
          new RegExp(`${address}/${name} does not respond like a Kubernetes API server`),
        )
        assert.match(ready.message ?? '', /check the server in the kubeconfig/)
        assert.doesNotMatch(ready.message ?? '', /undefined|Cannot read|is not a function|nginx/)
      }
      return 'the condition names the address, and says to check the kubeconfig'
    },
  },
]
