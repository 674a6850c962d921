/** What calls of a webhook leave on record at a real hub: from the signed push of a forge to the cluster, for those who may read it. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import type { Delivery } from '../../lib/foundations/kinds/delivery.ts'
import { cluster } from '../bed/cluster.ts'
import { ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository, fleetUnit, kubeconfigSecret, pushReceiver } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'
import { githubPush } from '../unit/signals/webhook/sent-by-forges.ts'

const token = 'planted-token-of-the-receiver'

const config = (color: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config, namespace: default}\ndata: {color: ${color}}\n`

/** A reader of the namespace default, and someone with no rights at all. */
const people = `
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: reader}]
---`

test('a push is on record until its objects are ready, and is redelivered by those who may', async () => {
  const [target, repo, on] = await Promise.all([cluster(), gitRepo({ 'config.yaml': config('blue') }), hub()])
  const keelson = async (...args: string[]) => {
    const called = [program, ...args, '--kubeconfig', on.kubeconfig, '-n', 'default']
    return ending(process.execPath, called)
  }
  const deliveries = async (...args: string[]) =>
    (await on.get<{ items: readonly Delivery[] }>('deliveries', ...args)).items
  const call = async (commit: string, secret = token): Promise<number> => {
    const repository = { ...githubPush.repository, clone_url: repo.url }
    const body = JSON.stringify({ ...githubPush, after: commit, repository, note: 'planted-note' })
    const signature = createHmac('sha256', secret).update(body).digest('hex')
    const { status } = await on.get<{ status: { webhookPath: string } }>('receiver', 'github')
    const headers = {
      ...{ 'content-type': 'application/json', 'x-github-event': 'push', 'x-github-delivery': commit.slice(0, 8) },
      ...{ 'x-hub-signature-256': `sha256=${signature}`, cookie: 'planted-cookie' },
    }
    return (await fetch(on.edge + status.webhookPath, { method: 'POST', headers, body })).status
  }

  await on.apply(
    kubeconfigSecret('prod', target) +
      fleetRepository(repo) +
      fleetUnit('prod') +
      pushReceiver('{kind: GitRepository, name: fleet}', token) +
      people,
  )
  await on.kubectl('wait', 'receiver/github', 'kustomization/app', '--for=condition=Ready', '--timeout=300s')
  const commit = await repo.push({ 'config.yaml': config('green') })
  assert.equal(await call(commit, 'guess'), 400)
  assert.equal(await call(commit), 200)

  const pushed = await eventually(async () => {
    const [found] = await deliveries('--field-selector', 'result=Triggered')
    assert.equal(found?.objects?.[0]?.ready, true, JSON.stringify(found))
    return found!
  })
  const [object] = pushed.objects!
  assert.deepEqual([object!.kind, object!.name, object!.revision], ['GitRepository', 'fleet', `main@sha1:${commit}`])
  assert.ok(object!.readyAfterMs! >= 0 && object!.readyAfterMs! < 300_000, String(object!.readyAfterMs))
  assert.match(pushed.remoteAddress ?? '', /127\.0\.0\.1/)
  const [refused] = await deliveries('--field-selector', 'result=Refused')
  assert.match(refused?.verification.message ?? '', /signature/)

  // kubectl and keelson show the same; the runs that followed stand below one delivery.
  const listed = await on.kubectl('get', 'deliveries')
  assert.match(listed, /NAME +AGE +RECEIVER +EVENT +RESULT +READY/)
  await eventually(async () => {
    const { stdout } = await keelson('deliveries', pushed.metadata.name)
    assert.match(stdout, new RegExp(`GitRepository/default/fleet: ready at main@sha1:${commit.slice(0, 8)} after`))
    assert.match(stdout, /Kustomization\/default\/app: Succeeded at /)
    assert.match(stdout, /x-hub-signature-256: \*\*\*/)
  })
  const table = await keelson('deliveries', 'github', '--since', '1h', '-o', 'wide')
  assert.match(table.stdout, new RegExp(`${refused!.metadata.name} .*Refused`))
  const everything = JSON.stringify(await deliveries()) + table.stdout
  for (const secret of ['planted-', token]) assert.ok(!everything.includes(secret), secret)

  // Reading takes the rights of the namespace, repeating a right of its own.
  assert.match(await on.kubectl('get', 'deliveries', '--as', 'reader'), /github-/)
  await assert.rejects(on.kubectl('get', 'deliveries', '--as', 'nobody'), /cannot list resource "deliveries"/)
  const denied = await keelson('redeliver', pushed.metadata.name, '--as', 'reader')
  assert.equal(denied.exitCode, 1)
  assert.match(denied.stderr, /cannot create resource "deliveries\/redeliver"/)
  const unverified = await keelson('redeliver', refused!.metadata.name)
  assert.match(unverified.stderr, /its sender was not verified/)

  const next = await repo.push({ 'config.yaml': config('red') })
  const done = await keelson('redeliver', pushed.metadata.name)
  assert.equal(done.exitCode, 0, done.stderr)
  await eventually(async () => {
    const [again] = await deliveries('--field-selector', 'result=Triggered')
    assert.deepEqual([again?.redelivers, again?.redeliveredBy], [pushed.metadata.name, 'kubernetes-admin'])
    assert.equal(again?.objects?.[0]?.revision, `main@sha1:${next}`)
  })
  await on.kubectl('delete', 'receiver', 'github')
  assert.deepEqual(await deliveries(), [])
})
