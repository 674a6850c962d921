import assert from 'node:assert/strict'
import { adminOf, readyOf } from '../../attack/world.ts'
import { eventually } from '../../bed/eventually.ts'
import { appRepository } from '../../bed/fleet-objects.ts'
import type { Fault } from '../fault.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: 'b' } })

export const diskFaults: readonly Fault[] = [
  {
    name: 'the disk fails to sync what was written',
    quick: true,
    needsShim: true,
    async play({ hub: start, shim: prepare }) {
      const shim = prepare()
      const hub = await start({ env: shim.env })
      const admin = adminOf(hub)
      assert.equal((await admin.request('POST', configMaps, configMap('before'))).status, 201)
      const ended = hub.ended()
      shim.set({ syncFails: true })
      const { status } = await admin
        .request('POST', configMaps, configMap('lost'))
        .catch(() => ({ status: 'no answer' as const }))
      assert.notEqual(status, 201)
      const exitCode = await Promise.race([
        ended,
        new Promise(resolve => setTimeout(resolve, 30_000, 'still running').unref()),
      ])
      assert.equal(exitCode, 1)
      assert.match(
        hub.said(),
        /the hub's database could not be written to disk: EIO.*the hub ends, and should be started again/,
      )
      shim.set({})
      await hub.start()
      assert.equal((await adminOf(hub).request('GET', `${configMaps}/before`)).status, 200)
      return 'ended with exit code 1 and said why; started again, it has all that it had confirmed'
    },
  },
  {
    name: 'the disk is full for a while',
    quick: true,
    needsShim: true,
    async play({ hub: start, repo: serve, shim: prepare }) {
      const shim = prepare()
      const [hub, repo] = await Promise.all([start({ env: shim.env }), serve({ 'a.txt': 'a' })])
      const admin = adminOf(hub)
      const { pid } = hub
      shim.set({ diskFull: true })
      const refused = await admin.request('POST', configMaps, configMap('refused'))
      assert.equal(refused.status, 507)
      const { message } = refused.body as { readonly message: string }
      assert.match(message, /no space left on the disk of \/.*data: free some/)
      const probe = async (path: string) => {
        const { status, body } = await admin.request('GET', path)
        return { status, text: String(body) }
      }
      assert.deepEqual(await probe('/livez'), { status: 200, text: 'ok' })
      for (const path of ['/readyz', '/healthz']) {
        const { status, text } = await probe(path)
        assert.equal(status, 500)
        assert.match(text, /no space left on the disk of/)
      }
      assert.equal((await admin.request('GET', configMaps)).status, 200, 'what is there can still be read')
      shim.set({})
      await eventually(async () => assert.equal((await probe('/readyz')).status, 200))
      assert.equal((await admin.request('POST', configMaps, configMap('taken'))).status, 201)
      await hub.apply(appRepository(repo))
      const path = '/apis/source.toolkit.fluxcd.io/v1/namespaces/default/gitrepositories/app'
      await eventually(async () => assert.equal((await readyOf(admin, path))?.status, 'True'))
      shim.set({ diskFull: true })
      const commit = await repo.push({ 'b.txt': 'b' })
      const asked = { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': 'now' } } }
      assert.equal((await admin.patch(path, asked)).status, 507)
      shim.set({})
      await eventually(async () => assert.equal((await probe('/readyz')).status, 200))
      assert.equal((await admin.patch(path, asked)).status, 200)
      await eventually(async () => assert.match((await readyOf(admin, path))?.message ?? '', new RegExp(commit)))
      assert.equal(hub.pid, pid)
      return 'answered 507 and was not ready, naming the directory; went on by itself once there was space'
    },
  },
]
