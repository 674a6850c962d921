/** Releases of Flux's own helm-controller move to a hub and back, and none is upgraded on the way. */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { eventually } from '../bed/eventually.ts'
import { type FluxCluster, fluxControllers, needsControllers, startFluxCluster } from '../bed/flux-controllers.ts'
import { type GitRepo, startGitRepo } from '../bed/git-repo.ts'
import { type Hub, startHub } from '../bed/hub.ts'
import { kubectl } from '../bed/kubectl.ts'

const files = {
  'app/Chart.yaml': 'apiVersion: v2\nname: app\nversion: 1.2.3\n',
  'app/values.yaml': 'greeting: hello\n',
  'app/templates/map.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Name }}"}\ndata: {greeting: "{{ .Values.greeting }}"}\n',
  'app/templates/hook.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: hook, annotations: {helm.sh/hook: "pre-upgrade,pre-install"}}\ndata: {}\n',
}

const source = (url: string) => `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: site, namespace: flux-system}
spec: {interval: 1h, url: "${url}", ref: {branch: main}}
`

const release = `
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: flux-system}
spec:
  interval: 1h
  values: {greeting: hi}
  driftDetection: {mode: enabled}
  commonMetadata: {labels: {team: web}}
  postRenderers: [{kustomize: {patches: [{target: {kind: ConfigMap}, patch: "- {op: add, path: /data/patched, value: 'yes'}"}]}}]
  chart: {spec: {chart: ./app, sourceRef: {kind: GitRepository, name: site}}}
`

interface Released {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly spec: object
  readonly status: {
    readonly history: readonly { readonly version: number; readonly digest: string }[]
    readonly lastHandledReconcileAt?: string
    readonly conditions: readonly { readonly type: string; readonly status: string }[]
  }
}

suite('releases move from Flux to a hub and back', needsControllers, () => {
  let flux: FluxCluster
  let hub: Hub
  let repo: GitRepo

  before(async () => {
    repo = await startGitRepo(files)
    ;[flux, hub] = await Promise.all([startFluxCluster({ directory: fluxControllers! }), startHub()])
    await flux.cluster.apply(`${source(repo.url)}---${release}`)
    await ready(flux.cluster.kubeconfig)
    await hub.kubectl('create', 'namespace', 'flux-system')
    await hub.kubectl(
      ...['-n', 'flux-system', 'create', 'secret', 'generic', 'target', `--from-file=value=${flux.cluster.kubeconfig}`],
    )
    await hub.apply(source(repo.url))
  })
  after(() => Promise.all([flux, hub, repo].map(it => it[Symbol.asyncDispose]())))

  const ready = (kubeconfig: string) =>
    kubectl(kubeconfig, ['wait', 'hr/web', '-n', 'flux-system', '--timeout=2m', '--for=condition=Ready'])
  const read = async (kubeconfig: string): Promise<Released> =>
    JSON.parse(await kubectl(kubeconfig, ['get', 'hr/web', '-n', 'flux-system', '-o', 'json']))
  const edit = (kubeconfig: string, spec: object) =>
    kubectl(kubeconfig, ['patch', 'hr/web', '-n', 'flux-system', '--type=merge', '-p', JSON.stringify({ spec })])
  /** Takes the object along as docs/from-flux.md says: suspended, with its status. */
  const carry = async (from: string, to: string, target: object = {}): Promise<void> => {
    const { apiVersion, kind, metadata, status, ...rest } = await read(from)
    const { name, namespace } = metadata
    const { kubeConfig, ...spec } = rest.spec as { readonly kubeConfig?: object }
    const object = { apiVersion, kind, metadata: { name, namespace }, spec: { ...spec, suspend: true, ...target } }
    const apply = (value: object, ...flags: string[]) =>
      kubectl(to, ['apply', '--server-side', '--force-conflicts', ...flags, '-f', '-'], {
        input: JSON.stringify(value),
      })
    await apply(object)
    await apply({ ...object, status }, '--subresource=status')
  }
  const versions = async (): Promise<readonly string[]> => {
    const out = await flux.cluster.kubectl('get', 'secret', '-n', 'flux-system', '-l', 'owner=helm', '-o', 'name')
    return out
      .trim()
      .split('\n')
      .map(name => name.slice(name.lastIndexOf('.') + 1))
  }
  const written = async (): Promise<unknown> => {
    const map = await flux.cluster.kubectl(
      ...['get', 'configmap/web', '-n', 'flux-system', '-o=jsonpath={.metadata.uid} {.metadata.resourceVersion}'],
    )
    return map
  }
  const reconciled = async (kubeconfig: string): Promise<void> => {
    const token = String(Date.now())
    await kubectl(kubeconfig, [
      ...['annotate', '--overwrite', 'hr/web', '-n', 'flux-system', `reconcile.fluxcd.io/requestedAt=${token}`],
    ])
    await eventually(async () => {
      const { status } = await read(kubeconfig)
      assert.equal(status.lastHandledReconcileAt, token, JSON.stringify(status))
      assert.equal(status.conditions.find(({ type }) => type === 'Ready')?.status, 'True', JSON.stringify(status))
    })
  }

  test('HR-118 a hub takes a release over with its status: nothing is upgraded, and nothing on the cluster is written', async () => {
    const before = await written()
    await edit(flux.cluster.kubeconfig, { suspend: true })
    await carry(flux.cluster.kubeconfig, hub.kubeconfig, { kubeConfig: { secretRef: { name: 'target' } } })
    await edit(hub.kubeconfig, { suspend: false })
    await reconciled(hub.kubeconfig)
    assert.deepEqual(await versions(), ['v1'])
    assert.equal(await written(), before)
    const [ours, theirs] = [await read(hub.kubeconfig), await read(flux.cluster.kubeconfig)]
    assert.deepEqual(ours.status.history, theirs.status.history)
  })

  test('HR-118 the hub continues with it: other values are its next version', async () => {
    await edit(hub.kubeconfig, { values: { greeting: 'good day' } })
    await reconciled(hub.kubeconfig)
    assert.deepEqual(await versions(), ['v1', 'v2'])
  })

  test('HR-118 helm-controller takes it back with its status: nothing is upgraded', async () => {
    const before = await written()
    await edit(hub.kubeconfig, { suspend: true })
    await carry(hub.kubeconfig, flux.cluster.kubeconfig)
    await edit(flux.cluster.kubeconfig, { suspend: false })
    await reconciled(flux.cluster.kubeconfig)
    assert.deepEqual(await versions(), ['v1', 'v2'])
    assert.equal(await written(), before)
    await edit(flux.cluster.kubeconfig, { values: { greeting: 'bye' } })
    await reconciled(flux.cluster.kubeconfig)
    assert.deepEqual(await versions(), ['v1', 'v2', 'v3'])
  })

  test('HR-118 without its status it is taken over by one upgrade', async () => {
    await edit(flux.cluster.kubeconfig, { suspend: true })
    await hub.kubectl('delete', 'hr/web', '-n', 'flux-system') // suspended: nothing goes
    const { apiVersion, kind, metadata, spec } = await read(flux.cluster.kubeconfig)
    const { name, namespace } = metadata
    const here = { ...spec, suspend: false, kubeConfig: { secretRef: { name: 'target' } } }
    await hub.apply(JSON.stringify({ apiVersion, kind, metadata: { name, namespace }, spec: here }))
    await ready(hub.kubeconfig)
    assert.deepEqual(await versions(), ['v1', 'v2', 'v3', 'v4'])
  })
})
