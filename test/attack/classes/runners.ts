import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { liveReader } from '../../../lib/compose/runner-orders.ts'
import type { Approval } from '../../../lib/foundations/kinds/approval.ts'
import { type Artifact, artifactOf, blobNameOf } from '../../../lib/foundations/kinds/artifact.ts'
import { groupOf, type KubernetesObject, refOf } from '../../../lib/foundations/kinds/object.ts'
import type { Plan } from '../../../lib/foundations/kinds/plan.ts'
import { type Signer, signApproval } from '../../../lib/foundations/rules/approval-statement.ts'
import type { HeadWork, OrderResult, OrderType, ReleaseWork } from '../../../lib/hub/runners/orders.ts'
import { runnerPath, type SyncResponse } from '../../../lib/hub/runners/protocol.ts'
import { signRequest } from '../../../lib/hub/runners/signed-request.ts'
import { runName } from '../../../lib/hub/runs/run-names.ts'
import { signedApprovals } from '../../../lib/reconcile/approvals/signatures.ts'
import { orderedWork } from '../../../lib/reconcile/runner/ordered-work.ts'
import { signedOnly } from '../../../lib/reconcile/runner/signed-units.ts'
import { readPublicKey } from '../../../lib/sources/verify/public-key.ts'
import { eventually } from '../../bed/eventually.ts'
import type { AttackClass, Attempt } from '../attack.ts'
import { manifest } from '../manifests.ts'
import { proposalsScene } from '../proposals-scene.ts'
import { type Joined, objectAt, runnerScene } from '../runner-scene.ts'
import { type AttackWorld, verdictOf, victimSource } from '../world.ts'

/** Every request but the first one, with what a runner of the Cluster would say. */
const contents: Readonly<Record<string, (about: object, lease: number) => object>> = {
  sync: () => ({}),
  'sync (renewing)': (_, lease) => ({ lease }),
  'sync (resuming)': (_, lease) => ({ resumes: lease }),
  release: (_, lease) => ({ lease }),
  report: (about, lease) => ({ ...about, lease, status: { conditions: [] } }),
  'report (deleted)': (about, lease) => ({ ...about, lease, finalized: true }),
  'report (goes back)': (about, lease) => ({ ...about, lease, goesBack: null }),
  event: (about, lease) => ({
    ...{ ...about, lease, component: 'kustomize-controller' },
    occurrence: { severity: 'error', reason: 'Forged', message: 'forged' },
  }),
  artifact: (_, lease) => ({ lease, name: 'gitrepository/victim/app/0.tar.gz' }),
}
const verbOf = (title: string): string => title.split(' ')[0]!

/** The victim's unit must not change by the attempt, and no Event may name it. */
const unchanged = async (world: AttackWorld, path: string, attempt: () => Promise<void>): Promise<void> => {
  const before = await objectAt(world.admin, path)
  await attempt()
  assert.deepEqual(await objectAt(world.admin, path), before)
  const { body } = await world.admin.request('GET', '/api/v1/namespaces/victim/events')
  assert.doesNotMatch(JSON.stringify(body), /Forged/)
}

const forAnotherCluster = (title: string): Attempt => ({
  title: `a runner's key is refused for another Cluster: ${title}`,
  async run(world) {
    const { victim, own } = await runnerScene(world)
    const { lease } = await victim.sync()
    await unchanged(world, victim.unit, async () => {
      const path = `${runnerPath}${verbOf(title)}`
      const body = JSON.stringify(contents[title]!(await victim.about(), lease))
      const authorization = signRequest({ cluster: victim.cluster, path, body, now: Date.now() }, own.key)
      assert.equal((await world.mallory.request('POST', path, body, { authorization })).status, 401)
    })
    assert.equal((await victim.send('sync', { lease })).status, 200, 'the victim still has its lease')
  },
})

const aboutAnothersUnit = (title: string): Attempt => ({
  title: `a runner speaks of its own units only: ${title}`,
  async run(world) {
    const { victim, own } = await runnerScene(world)
    const { lease } = await own.sync()
    await unchanged(world, victim.unit, async () => {
      const theirs = await victim.about()
      const { uid } = await own.about()
      for (const about of [theirs, { ...theirs, uid }])
        assert.equal((await own.send(verbOf(title), contents[title]!(about, lease))).status, 404)
    })
  },
})

/** Units of a runner besides its Kustomization. */
const specs = {
  HelmRelease: { interval: '1h', chart: { spec: { chart: 'app', sourceRef: { kind: 'GitRepository', name: 'app' } } } },
  ResourceSet: { resources: [] },
}

const forgedApproval = (kind: 'Kustomization' | keyof typeof specs): Attempt => ({
  title: `what a hub hands out as approved of a ${kind} counts at no runner that demands signatures: unsigned, of another key, plan or Cluster, of a plan that hides a hook or shows another value, or from before a later change`,
  async run(world) {
    const { victim } = await runnerScene(world)
    const [namespace = '', cluster = ''] = victim.cluster.split('/')
    const { path: unitPath, ...made } =
      kind === 'Kustomization' ? { path: victim.unit } : unitOf(kind, namespace, cluster)
    if ('object' in made) {
      const { status, body } = await world.admin.request('POST', made.collection, made.object)
      assert.equal(status, 201, JSON.stringify(body))
    }
    const { lease } = await victim.sync()
    const { apiVersion, metadata } = await objectAt(world.admin, unitPath)
    const ref = { group: groupOf(apiVersion), kind, namespace, name: cluster }
    const name = runName({ kind, name: cluster }, Date.now())
    const unit = { apiVersion, kind, name: cluster }
    const approvals = { count: 1, authorMayApprove: true, reason: 'the runner', signedFor: victim.cluster }
    const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'kept' }
    const hook = { ...object, name: 'hook', action: 'created', origin: 'app/hook.yaml, a hook: pre-upgrade' } as const
    const change = { ...object, action: 'created', fields: [{ path: 'data.a', after: 'evil' }] } as const
    const spec = { unit, digest: `sha256:${'0'.repeat(64)}`, counts: { created: 2 }, approvals }
    const create = { spec, changes: [change, hook] }
    const sent = await victim.send('plan', { ref, uid: metadata.uid, lease, name, create })
    assert.equal(sent.status, 200, JSON.stringify(sent.body))
    const fleet = `/apis/fleet.keelson.dev/v1alpha1/namespaces/${namespace}`
    const plan = (await objectAt(world.admin, `${fleet}/plans/${name}`)) as Plan
    const approver = generateKeyPairSync('ed25519')
    const signer = (key = approver.privateKey): Signer => ({ keyId: 'x', sign: bytes => sign(null, bytes, key) })
    const key = readPublicKey(Buffer.from(approver.publicKey.export({ type: 'spki', format: 'pem' })))
    const now = Date.now()
    const counting = async (signature: object | undefined, lastAt = 0) => {
      const object = {
        ...{ apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'Approval', metadata: { name } },
        spec: { subject: { kind: 'Plan', name }, digest: plan.spec.digest, ...(signature && { signature }) },
      }
      const { status, body } = await world.admin.request('POST', `${fleet}/approvals`, object)
      assert.equal(status, 201, JSON.stringify(body))
      const { copy } = (await victim.send('sync', { lease })).body as SyncResponse
      const all = copy!.others.filter(({ kind }) => kind === 'Approval') as unknown as readonly Approval[]
      assert.ok(all.some(({ spec }) => spec.subject.name === name))
      await world.admin.request('DELETE', `${fleet}/approvals/${name}`)
      const lastSigned = () => ({ signedAt: lastAt, plan: 'sha256:another' })
      const demand = { cluster: victim.cluster, keys: [key], count: 1, lastSigned, keepLastSigned: async () => {} }
      return signedApprovals(all, plan, demand, now).approvals.length
    }
    const signed = (shown: object, by = approver.privateKey) =>
      signApproval({ ...plan, ...shown } as Plan, victim.cluster, signer(by), now)
    const harmless = { ...change, fields: [{ path: 'data.a', after: 'good' }] }
    assert.equal(await counting(undefined), 0, 'unsigned')
    assert.equal(await counting(signed({}, other)), 0, 'by another key')
    assert.equal(await counting(signed({ changes: [{ ...change, name: 'old' }, hook] })), 0, 'of another plan')
    assert.equal(await counting(signed({ changes: [change] })), 0, 'without the hook')
    assert.equal(await counting(signed({ changes: [harmless, hook] })), 0, 'with another value')
    assert.equal(await counting(signApproval(plan, 'mallory/app', signer(), now)), 0, 'for another Cluster')
    assert.equal(await counting(signed({}), now + 1), 0, 'from before a later change')
    assert.equal(await counting(signed({})), 1)
  },
})

const unitOf = (kind: keyof typeof specs, namespace: string, cluster: string) => {
  if (kind === 'HelmRelease')
    return manifest(
      kind,
      cluster,
      { spec: { ...specs[kind], kubeConfig: { configMapRef: { name: cluster } } } },
      { namespace },
    )
  const annotations = { 'resourceset.keelson.dev/kubeConfig': `ConfigMap/${cluster}` }
  return manifest(kind, cluster, { spec: specs[kind] }, { namespace, annotations })
}

const other = generateKeyPairSync('ed25519').privateKey
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Changes of a signed request that would make another one of it. */
const forgeries: Readonly<Record<string, (signed: string, cluster: string) => string>> = {
  'signed by nobody': signed => `Runner ${encoded({ alg: 'none' })}.${signed.split('.')[1]}.`,
  'with an empty signature': signed => `${signed.split('.').slice(0, 2).join('.')}.`,
  'with another header': signed => `Runner ${encoded({ alg: 'HS256' })}.${signed.split('.').slice(1).join('.')}`,
  'with a key of its own in the header': signed =>
    `Runner ${encoded({ alg: 'EdDSA', typ: 'keelson-runner+jwt', jwk: {} })}.${signed.split('.').slice(1).join('.')}`,
  'signed by another key': (signed, cluster) => {
    const [head] = signed.replace('Runner ', '').split('.')
    const { iat, path, body } = JSON.parse(Buffer.from(signed.split('.')[1]!, 'base64url').toString())
    const payload = `${head}.${encoded({ iss: cluster, iat, path, body })}`
    return `Runner ${payload}.${sign(null, Buffer.from(payload), other).toString('base64url')}`
  },
  'of another Cluster': (signed, cluster) => {
    const [head, payload, signature] = signed.split('.')
    const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString())
    return `${head}.${encoded({ ...claims, iss: cluster.replace('victim', 'mallory') })}.${signature}`
  },
  'of a later time': signed => {
    const [head, payload, signature] = signed.split('.')
    const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString())
    return `${head}.${encoded({ ...claims, iat: claims.iat + 1 })}.${signature}`
  },
  'whose Cluster is a path': signed => {
    const [head, payload, signature] = signed.split('.')
    const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString())
    return `${head}.${encoded({ ...claims, iss: `mallory/../${claims.iss}` })}.${signature}`
  },
  'cut off': signed => signed.slice(0, -4),
  'as a bearer token': signed => signed.replace('Runner ', 'Bearer '),
}

const isForged = (title: string): Attempt => ({
  title: `a request ${title} is refused`,
  async run(world) {
    const { victim } = await runnerScene(world)
    const path = `${runnerPath}sync`
    const signed = signRequest({ cluster: victim.cluster, path, body: '{}', now: Date.now() }, victim.key)
    const authorization = forgeries[title]!(signed, victim.cluster)
    assert.equal((await world.mallory.request('POST', path, '{}', { authorization })).status, 401)
  },
})

/** Takes the lease of a runner that takes these orders. */
const takingOrders = async (joined: Joined, takes: readonly OrderType[]): Promise<number> => {
  let held: { readonly lease: number } | undefined
  // The hub may have missed the runner before it had called, and says so until the runner has reported.
  await eventually(async () => {
    const { copy, lease } = (await joined.send('sync', { ...held, version: '1.0.0', takes })).body as SyncResponse
    held = { lease }
    const cluster = copy!.own.find(({ kind }) => kind === 'Cluster')!
    const { uid, resourceVersion } = cluster.metadata
    const probed = { ref: refOf(cluster), uid, resourceVersion, status: { conditions: [] } }
    assert.equal((await joined.send('report', { lease, ...probed })).status, 200)
  })
  return held!.lease
}

/** What a stolen runner would bring into a comment. */
const forgedHead = {
  ...{
    cluster: { kind: 'ConfigMap', namespace: 'mallory', name: 'x' },
    note: 'forged-note',
    refused: [],
    policies: [],
  },
  changes: [{ action: 'deleted\n@everyone', kind: 'ConfigMap', name: 'known\n@everyone', fields: [], moreFields: 0 }],
}

/** A HelmRelease with a chart of the repository whose pull requests are planned, and a source that is not part of them. */
const releaseOf = (cluster: string, url: string): string => {
  const [namespace, name] = cluster.split('/')
  return `
apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmChart
metadata: {name: proposed, namespace: ${namespace}}
spec: {interval: 1h, chart: ./app, sourceRef: {kind: GitRepository, name: proposed}}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: unordered, namespace: ${namespace}}
spec: {url: '${url}', ref: {branch: main}, interval: 1h}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  interval: 1h
  chartRef: {kind: HelmChart, name: proposed}
  kubeConfig: {configMapRef: {name: ${name}}}
`
}
const unorderedSource = '/apis/source.toolkit.fluxcd.io/v1/namespaces/victim/gitrepositories/unordered'

const attempts: Attempt[] = [
  ...Object.keys(contents).map(forAnotherCluster),
  ...['report', 'report (deleted)', 'report (goes back)', 'event'].map(aboutAnothersUnit),
  ...Object.keys(forgeries).map(isForged),
  {
    title: 'a recorded request is no other one: not with another path or body, and not after a minute',
    async run(world) {
      const { victim } = await runnerScene(world)
      const { lease } = await victim.sync()
      const path = `${runnerPath}report`
      const body = JSON.stringify({ ...(await victim.about()), lease, status: { observedGeneration: 1 } })
      const at = (now: number) => signRequest({ cluster: victim.cluster, path, body, now }, victim.key)
      const send = (to: string, what: string, authorization: string) =>
        world.mallory.request('POST', to, what, { authorization })
      const authorization = at(Date.now())
      assert.equal((await send(path, body, authorization)).status, 200)
      assert.equal((await send(path, body, authorization)).status, 409, 'sent again')
      assert.equal((await send(`${runnerPath}event`, body, authorization)).status, 401)
      assert.equal((await send(path, body.replace('1}', '2}'), authorization)).status, 401)
      assert.equal((await send(path, body, at(Date.now() - 61_500))).status, 401)
      assert.equal((await send(path, body, at(Date.now() + 62_500))).status, 401)
    },
  },
  {
    title: "a report changes the status of its unit, and neither its spec nor its metadata, nor another unit's",
    async run(world) {
      const { victim, own } = await runnerScene(world)
      const { lease } = await own.sync()
      const { spec, metadata } = (await objectAt(world.admin, own.unit)) as never as Record<string, object>
      await unchanged(world, victim.unit, async () => {
        const forged = { spec: { suspend: true }, metadata: { namespace: 'victim', labels: { forged: 'true' } } }
        const content = { ...(await own.about()), lease, status: { observedGeneration: 1, ...forged }, ...forged }
        assert.equal((await own.send('report', content)).status, 200)
      })
      const after = (await objectAt(world.admin, own.unit)) as never as Record<string, { labels?: object }>
      assert.deepEqual([after.spec, after.metadata?.labels], [spec, (metadata as { labels?: object }).labels])
    },
  },
  {
    title:
      'a stolen runner undoes no unit that is not to go back by itself, nor otherwise than that, and ends no undo of a user',
    async run(world) {
      const { own } = await runnerScene(world)
      const { lease } = await own.sync()
      const annotated = async (annotations: Readonly<Record<string, string | null>>) =>
        assert.equal((await world.mallory.patch(own.unit, { metadata: { annotations } })).status, 200)
      const [to, digest] = ['a', 'b'].map(letter => `sha256:${letter.repeat(64)}`)
      const refused = async (goesBack: unknown) => {
        const before = await objectAt(world.admin, own.unit)
        assert.equal((await own.send('report', { ...(await own.about()), lease, goesBack })).status, 400)
        assert.deepEqual(await objectAt(world.admin, own.unit), before)
      }
      const { generation } = (await objectAt(world.admin, own.unit)).metadata
      const failed = { digest, generation, revision: 'main@sha1:2' }
      await refused({ to, failed })
      await annotated({ 'keelson.dev/on-failure': 'undo' })
      await refused({ to })
      await refused({ to: '../../victim/kept', failed })
      await refused({ to, failed: { ...failed, generation: (generation ?? 0) - 1 } })
      await annotated({ 'keelson.dev/undo': to! })
      await refused({ to: digest, failed })
      await refused(null)
    },
  },
  {
    title: 'a hub that is taken over orders an undo of a runner that demands signatures: it applies nothing',
    async run(world) {
      const { victim } = await runnerScene(world)
      const { lease } = await victim.sync()
      const digest = `sha256:${'a'.repeat(64)}`
      const spec = { postBuild: null }
      for (const undo of [digest, `${digest} ${digest} 2 main@sha1:2`]) {
        const patch = { spec, metadata: { annotations: { 'keelson.dev/undo': undo } } }
        assert.equal((await world.admin.patch(victim.unit, patch)).status, 200)
        const { copy } = (await victim.send('sync', { lease })).body as SyncResponse
        const unit = copy!.own.find(({ kind }) => kind === 'Kustomization')!
        let applied = 0
        const reconciler = { reconcile: async () => void applied++ } as never
        const outcome = await signedOnly(reconciler).reconcile(unit, {} as never)
        assert.deepEqual([outcome.type, applied], ['stalled', 0])
      }
    },
  },
  {
    title: 'a runner gets no Secret, source or artifact of another namespace, whatever its units name',
    async run(world) {
      const { own } = await runnerScene(world)
      const reaching = {
        sourceRef: { kind: 'GitRepository', name: 'app', namespace: 'victim' },
        dependsOn: [{ name: 'app', namespace: 'victim' }],
        postBuild: { substituteFrom: [{ kind: 'Secret', name: '../victim/kept', optional: true }] },
      }
      assert.equal((await world.mallory.patch(own.unit, { spec: reaching })).status, 200)
      const { copy, lease } = await own.sync()
      assert.doesNotMatch(JSON.stringify(copy?.others), new RegExp(`"victim"|${world.secret}`))
      const { artifact } = (await objectAt(world.admin, victimSource)).status as { artifact: { digest: string } }
      const name = `gitrepository/victim/app/${artifact.digest.slice(7)}.tar.gz`
      for (const asked of [name, `gitrepository/mallory/app/../../victim/app/${name.split('/').at(-1)}`, 'build/0', ''])
        assert.equal((await own.send('artifact', { lease, name: asked })).status, 404, asked)
    },
  },
  {
    title:
      'for a ResourceSet a runner gets what the account of the set may read and its templates copy: nothing by its dependencies, its status or providers of others',
    async run(world) {
      const { own } = await runnerScene(world)
      const cluster = own.cluster.split('/')[1]!
      const annotations = { 'resourceset.keelson.dev/kubeConfig': `ConfigMap/${cluster}` }
      const copying = { 'fluxcd.controlplane.io/copyFrom': '<< inputs.from >>' }
      const copy = { name: 'copy-<< inputs.name >>', namespace: 'default', annotations: copying }
      const provider = { spec: { type: 'Static', defaultValues: { word: world.secret } } }
      const ofVictim = manifest('ResourceSetInputProvider', cluster, provider, { namespace: 'victim' })
      const spec = {
        inputsFrom: [{ selector: {} }],
        inputs: [
          { name: 'a', from: 'victim/kept' },
          { name: 'b', from: `mallory/${cluster}-own` },
        ],
        dependsOn: [{ apiVersion: 'v1', kind: 'Secret', name: 'kept', namespace: 'victim' }],
        resources: [{ apiVersion: 'v1', kind: 'Secret', metadata: copy }],
      }
      const set = manifest('ResourceSet', cluster, { spec }, { annotations })
      const made = [
        [world.admin, ofVictim] as const,
        [world.mallory, manifest('Secret', `${cluster}-own`, { stringData: { key: 'own-of-mallory' } })] as const,
        [world.mallory, manifest('Secret', `${cluster}-claimed`, { stringData: { key: 'claimed' } })] as const,
        [world.mallory, set] as const,
      ]
      for (const [client, { collection, object }] of made) {
        const { status, body } = await client.request('POST', collection, object)
        assert.equal(status, 201, JSON.stringify(body))
      }
      const { lease } = await own.sync()
      const { uid, resourceVersion } = (await objectAt(world.admin, set.path)).metadata
      const ref = { group: 'fluxcd.controlplane.io', kind: 'ResourceSet', namespace: 'mallory', name: cluster }
      const dataSources = ['Secret/victim/kept', `Secret/mallory/${cluster}-claimed`]
      const forged = { lease, ref, uid, resourceVersion, status: { dataSources } }
      assert.equal((await own.send('report', forged)).status, 200)
      const { copy: handedOut } = (await own.send('sync', { lease })).body as SyncResponse
      const secrets = handedOut!.others.filter(({ kind }) => kind === 'Secret').map(({ metadata }) => metadata.name)
      assert.deepEqual(secrets, [`${cluster}-own`])
      assert.doesNotMatch(JSON.stringify(handedOut), new RegExp(`"namespace":"victim","name"|${world.secret}`))
    },
  },
  {
    title: 'no unit of another namespace reaches a runner, whose keys would decrypt for it, whatever the unit names',
    async run(world) {
      const { victim, own } = await runnerScene(world)
      const name = own.unit.split('/').at(-1)!
      const { lease } = await victim.sync()
      for (const configMapRef of [{ name }, { name, namespace: 'victim' }, { name: `../victim/${name}` }]) {
        const spec = { decryption: { provider: 'sops' }, kubeConfig: { configMapRef } }
        await world.mallory.patch(own.unit, { spec })
        const { copy } = (await victim.send('sync', { lease })).body as SyncResponse
        assert.deepEqual(new Set(copy?.own.map(({ metadata }) => metadata.namespace)), new Set(['victim']))
        assert.doesNotMatch(JSON.stringify(copy), /"mallory"/)
      }
    },
  },
  ...(['Kustomization', 'HelmRelease', 'ResourceSet'] as const).map(forgedApproval),
  {
    title: 'what a user has ordered of a runner is seen by that user, and found out by that runner, and by nobody else',
    async run(world) {
      const { victim, own } = await runnerScene(world)
      const takes = ['plan', 'comparison', 'live'] as const
      await takingOrders(victim, takes)
      const { lease } = (await own.send('sync', { version: '1.0.0', takes })).body as SyncResponse
      const unit = `unit=Kustomization/${victim.cluster}`
      const { ref, uid } = await victim.about()
      const order = async (path: string): Promise<string> => {
        const { status, body } = await world.admin.request('GET', `/fleet/live${path}`)
        assert.equal(status, 200, JSON.stringify(body))
        return (body as { readonly order: string }).order
      }
      const theirs = await own.about()
      for (const path of [`/diff?${unit}`, `?${unit}`, `/log?${unit}&object=default_web__Pod&container=web`]) {
        const id = await order(path)
        for (const asked of [path, `${path}&order=${id}`])
          assert.equal((await world.mallory.request('GET', `/fleet/live${asked}`)).status, 403, asked)
        const mine = `${path.replace(victim.cluster, own.cluster)}&order=${id}`
        assert.equal((await world.mallory.request('GET', `/fleet/live${mine}`)).status, 504, 'of a unit of mallory')
        for (const about of [{ ref, uid }, theirs, { ...theirs, uid }])
          assert.equal((await own.send('complete', { ...about, lease, id, result: { failed: 'forged' } })).status, 404)
      }
    },
  },
  {
    title:
      'the head of a pull request, of a HelmRelease also its base, is read by the runner that has to plan it, as long as it has to, and by no other',
    async run(world) {
      const { victim, own } = await runnerScene(world)
      const { push, send, commentOn } = await proposalsScene(world)
      const proposed = { sourceRef: { kind: 'GitRepository', name: 'proposed' }, path: './app' }
      const said = await push({ 'app/known.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: known}\n' })
      await world.hub.apply(releaseOf(victim.cluster, world.proposals.url))
      await verdictOf(world.admin, unorderedSource)
      const lease = await takingOrders(victim, ['head', 'release'])
      const foreign = await takingOrders(own, ['head'])
      assert.equal((await world.admin.patch(victim.unit, { spec: proposed })).status, 200)
      assert.equal((await send(said)).status, 200)
      const orders = await eventually(
        async () => {
          const { orders = [] } = (await victim.send('sync', { lease })).body as SyncResponse
          return orders.length === 2 ? orders : null
        },
        { within: 60_000 },
      )
      const head = orders.map(({ work }) => work).find(({ type }) => type === 'head') as HeadWork
      const { release } = orders.map(({ work }) => work).find(({ type }) => type === 'release') as ReleaseWork
      const { base, head: ofChart } = release.chart!
      assert.deepEqual(ofChart, head.artifact)
      const read = async (by: Joined, lease: number, artifact: Artifact) =>
        (await by.send('artifact', { lease, name: blobNameOf(artifact) })).status
      for (const artifact of [base, head.artifact]) {
        assert.equal(await read(own, foreign, artifact), 404, 'another runner')
        assert.equal(await read(victim, lease, artifact), 200)
      }
      const unordered = artifactOf(await objectAt(world.admin, unorderedSource))!
      assert.equal(unordered.digest, base.digest)
      assert.equal(await read(victim, lease, unordered), 404, 'of a source that the order does not name')
      for (const { ref, uid, id } of orders) {
        const done = { ref, uid, id, result: { found: { type: 'planned', counts: {}, ...forgedHead } } }
        for (const about of [{ ref, uid }, await own.about()])
          assert.equal((await own.send('complete', { ...done, ...about, lease: foreign })).status, 404)
        assert.equal((await victim.send('complete', { ...done, lease })).status, 200)
      }
      assert.equal(await read(victim, lease, head.artifact), 404, 'it is planned')
      const comment = await commentOn(said.number)
      assert.match(
        comment,
        new RegExp(`\\| \`Kustomization/${victim.cluster}\` \\| \`ConfigMap/${victim.cluster}\` \\|`),
      )
      assert.match(comment, new RegExp(`\\| \`HelmRelease/${victim.cluster}\` \\| \`ConfigMap/${victim.cluster}\` \\|`))
      assert.doesNotMatch(comment, /ConfigMap\/mallory|forged-note|^@everyone/m)
    },
  },
  {
    title:
      'a hub that is taken over reads nothing by a runner without --live, nothing as an account of the cluster by one with it, and no value of a Secret',
    async run() {
      const unit = {
        ...{ apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization' },
        metadata: { namespace: 'apps', name: 'forged', uid: 'u' },
        status: { inventory: { entries: [{ id: 'kube-system_admin__Secret', v: 'v1' }] } },
      } as KubernetesObject
      const secret = {
        ...{ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'kube-system', name: 'admin' } },
        ...{ data: { token: 'planted' }, stringData: { token: 'planted' } },
      }
      const reached: unknown[] = []
      const clusterAs = async (as: object) => {
        reached.push(as)
        return { get: async () => secret, list: async () => ({ items: [secret] }) } as never
      }
      const resultOf = async (user: string, groups: readonly string[], isLive = true) => {
        const done = Promise.withResolvers<OrderResult>()
        const live = liveReader(clusterAs, { now: Date.now })
        const { take } = orderedWork({
          ...{ unitAt: async () => unit, isOwn: () => true, log: { info() {}, error() {} } },
          performers: isLive ? { live } : {},
          session: { complete: async ({ result }) => done.resolve(result) },
        })
        const read = { what: 'object', object: 'kube-system_admin__Secret' } as const
        take([{ id: '1', ref: refOf(unit), uid: 'u', work: { type: 'live', read, as: { user, groups } } }])
        return done.promise
      }
      assert.ok('failed' in (await resultOf('jane', [], false)))
      for (const [user, groups] of [
        ['system:admin', []],
        ['', ['devs']],
        ['jane', ['system:masters']],
        ['system:serviceaccount:keelson-runner:keelson-runner', []],
      ] as const)
        assert.ok('failed' in (await resultOf(user, groups)), user)
      assert.deepEqual(reached, [])
      const seen = await resultOf('jane', ['devs'])
      assert.ok('found' in seen && !JSON.stringify(seen).includes('planted'), JSON.stringify(seen))
      assert.deepEqual(reached, [{ user: 'jane', groups: ['devs'] }])
    },
  },
  {
    title: "nobody lets a runner in for a Cluster of another namespace: neither by a Secret nor by one's own token",
    async run(world) {
      const { victim } = await runnerScene(world)
      const secret = manifest('Secret', victim.cluster.split('/')[1]!, {}, { namespace: 'victim' })
      assert.equal((await world.mallory.request('POST', secret.collection, secret.object)).status, 403)
      const { publicKey } = generateKeyPairSync('ed25519')
      const der = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
      const path = `${runnerPath}enrol`
      const body = JSON.stringify({ cluster: victim.cluster, token: 'guessed', publicKey: der })
      const authorization = signRequest({ cluster: victim.cluster, path, body, now: Date.now() }, other)
      assert.equal((await world.mallory.request('POST', path, body, { authorization })).status, 401)
      await victim.sync()
    },
  },
  {
    title: 'a Secret of another type lets no runner in',
    async run(world) {
      const { own } = await runnerScene(world)
      const secret = own.unit.replace(/^.*kustomizations\//, '/api/v1/namespaces/mallory/secrets/')
      const { data } = (await objectAt(world.admin, `${secret}-runner`)) as never as { data: object }
      await world.mallory.request('DELETE', `${secret}-runner`)
      const again = manifest('Secret', `${secret.split('/').at(-1)}-runner`, { data })
      assert.equal((await world.mallory.request('POST', again.collection, again.object)).status, 201)
      assert.equal((await own.send('sync', {})).status, 401)
    },
  },
]

/** Runners, of which one is the attacker's. */
export const runners: AttackClass = {
  name: 'runners',
  rule: "A runner's key opens its own Cluster: what its units name, their status and their events",
  attempts,
}
