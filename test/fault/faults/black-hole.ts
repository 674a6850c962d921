import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { adminOf, readyOf } from '../../attack/world.ts'
import { eventually } from '../../bed/eventually.ts'
import { appRepository, unitFor } from '../../bed/fleet-objects.ts'
import type { Fault, Scene } from '../fault.ts'

/** A listener that accepts connections, and says nothing. */
const blackHole = async ({ use }: Scene) => {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  use({
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  })
  const { port } = server.address() as { readonly port: number }
  return { port, connections: () => sockets.size }
}

const sources = (port: number): string => `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: silent-https, namespace: default}
spec: {url: 'https://127.0.0.1:${port}/a', interval: 1h}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: silent-ssh, namespace: default}
spec: {url: 'ssh://git@127.0.0.1:${port}/a', interval: 1h, secretRef: {name: ssh}}
---
apiVersion: v1
kind: Secret
metadata: {name: ssh, namespace: default}
stringData: {identity: none, known_hosts: none}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: silent, namespace: default}
spec: {url: 'oci://127.0.0.1:${port}/a', insecure: true, interval: 1h}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: silent, namespace: default}
spec: {url: 'http://127.0.0.1:${port}/a', interval: 1h}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: Bucket
metadata: {name: silent, namespace: default}
spec: {endpoint: '127.0.0.1:${port}', bucketName: a, insecure: true, interval: 1h}
---
`

export const blackHoleFaults: readonly Fault[] = [
  {
    name: 'the hub is stopped while 20 passes wait for servers that accept and say nothing',
    quick: true,
    async play(scene) {
      const [hub, repo, hole] = await Promise.all([
        scene.hub(),
        scene.repo({ 'a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n' }),
        blackHole(scene),
      ])
      const names = Array.from({ length: 20 }, (_, index) => `unit-${index}`)
      await hub.apply(appRepository(repo))
      const app = '/apis/source.toolkit.fluxcd.io/v1/namespaces/default/gitrepositories/app'
      await eventually(async () => assert.equal((await readyOf(adminOf(hub), app))?.status, 'True'))
      await hub.apply(names.map(name => unitFor(`https://127.0.0.1:${hole.port}`, name)).join('') + sources(hole.port))
      await eventually(() => assert.ok(hole.connections() >= 20, `${hole.connections()} connections`))
      const { status } = await adminOf(hub).request('GET', '/readyz')
      assert.equal(status, 200, 'those who wait hold up nobody')
      const begun = performance.now()
      await hub.stop()
      const took = performance.now() - begun
      // It takes 2.1 s on a quiet machine; 10 s is the shortest timeout that it would wait for.
      assert.ok(took < 8_000, `took ${Math.round(took)} ms`)
      return `ended after ${(took / 1000).toFixed(1)} s`
    },
  },
]
