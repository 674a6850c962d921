import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { corpusFile, needsCorpus } from '../conformance/corpus.ts'
import { type TwoServers, twoServers } from './two-servers.ts'

// Unmodified kubectl talks to a real kube-apiserver with Flux's CRDs and to the hub: the answers must be the same.
// Flux objects are suspended, so that no reconciler of the hub adds what a bare API server would not have.

const crds = [
  'source.toolkit.fluxcd.io_gitrepositories',
  'kustomize.toolkit.fluxcd.io_kustomizations',
  'notification.toolkit.fluxcd.io_receivers',
]

const configMap = (name: string, data: Record<string, string>) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'apps' }, data })

const gitRepository = (spec: Record<string, unknown> = {}) =>
  JSON.stringify({
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'GitRepository',
    metadata: { name: 'site', namespace: 'apps' },
    spec: { url: 'https://git.example.org/site', interval: '5m', suspend: true, ...spec },
  })

// A cluster's controllers add these to every namespace; the hub has no such controllers.
const ours = '--field-selector=metadata.name!=kube-root-ca.crt,metadata.name!=default'

const kustomization = (spec: Record<string, unknown> = {}) =>
  JSON.stringify({
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name: 'site', namespace: 'apps' },
    spec: {
      interval: '10m',
      prune: true,
      suspend: true,
      sourceRef: { kind: 'GitRepository', name: 'site' },
      ...spec,
    },
  })

suite('kubectl finds a kube-apiserver', needsCorpus('crds'), () => {
  let servers: TwoServers
  /** The command's output on both servers. */
  const same = async (args: string, input?: string) => {
    const { stdout, stderr } = await servers.both(args.split(' '), { input })
    return (stdout + stderr).trimEnd()
  }
  /** Both servers refuse it for this reason, in words of their own: how they decode a patch differs, and it shows. */
  const refuse = async (args: string, why: RegExp, input?: string) => {
    for (const { exitCode, stderr } of await servers.each(args.split(' '), { input })) {
      assert.equal(exitCode, 1)
      assert.match(stderr, why)
    }
  }
  before(async () => {
    servers = await twoServers(crds.map(name => corpusFile(`crds/${name}.yaml`)))
    await same('create namespace apps')
  })
  after(() => servers[Symbol.asyncDispose]())

  test('applies on the client: created, unchanged, configured', async () => {
    assert.equal(await same('apply -f -', configMap('client', { a: '1', b: '1' })), 'configmap/client created')
    assert.equal(await same('apply -f -', configMap('client', { a: '1', b: '1' })), 'configmap/client unchanged')
    assert.equal(await same('apply -f -', configMap('client', { a: '2' })), 'configmap/client configured')
    assert.equal(await same('get configmap client -n apps -o jsonpath={.data}'), '{"a":"2"}')
    assert.equal(await same('apply -f -', kustomization()), 'kustomization.kustomize.toolkit.fluxcd.io/site created')
    assert.match(await same('apply -f -', kustomization({ interval: '1m' })), /configured$/)
    assert.match(await same('apply -f -', kustomization({ interval: '1m' })), /unchanged$/)
  })

  test('applies on the server, and reports the owners of conflicting fields', async () => {
    const as = (manager: string) => `apply --server-side --field-manager=${manager} -f -`
    assert.equal(await same(as('one'), configMap('server', { a: '1' })), 'configmap/server serverside-applied')
    await same('get configmap server -n apps -o yaml --show-managed-fields')
    assert.match(await same(as('two'), configMap('server', { a: '2' })), /conflict with "one": \.data\.a/)
    await same(`${as('two')} --force-conflicts`, configMap('server', { a: '2' }))
    await same(as('one'), configMap('server', { b: '1' }))
    assert.equal(await same('get configmap server -n apps -o jsonpath={.data}'), '{"a":"2","b":"1"}')
    await same(as('one'), gitRepository())
    assert.match(await same(as('two'), gitRepository({ interval: '1m' })), /conflict with "one": \.spec\.interval/)
  })

  test('prints tables, wide and narrow, with labels and custom columns', async () => {
    assert.match(await same(`get configmaps -n apps ${ours}`), /^NAME\s+DATA\s+AGE\n/)
    await same('get gitrepositories -n apps')
    await same('get ks,gitrepo -n apps')
    // A wide column of the hub's tells the cluster; here none is named.
    const [wide, withCluster] = await servers.each('get ks -A -o wide --show-labels'.split(' '))
    assert.match(withCluster.stdout, /^NAMESPACE .* CLUSTER {2}LABELS\n/)
    assert.deepEqual({ ...withCluster, stdout: withCluster.stdout.replace('CLUSTER  ', '') }, wide)
    await same('get ks -n apps -o custom-columns=NAME:.metadata.name,EVERY:.spec.interval')
    await same('get ks -n apps -o name')
    await same('get ks site -n apps --no-headers')
    assert.equal(await same('get receivers -n apps'), 'No resources found in apps namespace.')
    assert.match(await same('get configmap missing -n apps'), /^Error from server \(NotFound\): configmaps "missing"/)
    assert.match(await same('get deployments.nonsense'), /the server doesn't have a resource type "deployments"/)
  })

  test('labels, annotates, and selects by it', async () => {
    await same('label ks site -n apps tier=web')
    assert.match(await same('label ks site -n apps tier=db'), /'tier' already has a value/)
    await same('label ks site -n apps tier=db --overwrite')
    assert.match(await same('get ks -n apps -l tier=db,!gone -o name'), /site$/)
    await same('get ks -n apps -l tier!=db')
    await same('get configmaps -n apps --field-selector metadata.name=client -o name')
    await same('annotate ks site -n apps note=hello')
    assert.equal(await same('get ks site -n apps -o jsonpath={.metadata.annotations.note}'), 'hello')
    await same('annotate ks site -n apps note-')
    await same('label ks site -n apps tier-')
  })

  test('patches in every dialect, and the status apart', async () => {
    await same('patch ks site -n apps --type=merge -p {"spec":{"path":"./deploy"}}')
    await same('patch ks site -n apps --type=json -p [{"op":"remove","path":"/spec/path"}]')
    await refuse('patch ks site -n apps --type=json -p [{"op":"remove","path":"/spec/path"}]', /The request is invalid/)
    await same('patch configmap client -n apps -p {"data":{"c":"3"}}')
    const ready =
      '{"type":"Ready","status":"True","reason":"Succeeded","message":"fine","lastTransitionTime":"2026-01-01T00:00:00Z"}'
    await same(`patch ks site -n apps --subresource=status --type=merge -p {"status":{"conditions":[${ready}]}}`)
    assert.match(await same('get ks -n apps'), /True\s+fine/)
    await same('patch ks site -n apps --type=merge -p {"status":{"conditions":[]}}')
    assert.match(await same('get ks -n apps'), /True\s+fine/)
    await same('wait ks/site -n apps --for=condition=Ready --timeout=5s')
    await same('wait ks/site -n apps --for=condition=Stalled --timeout=1s')
    await same('wait ks/site -n apps --for=jsonpath={.spec.interval}=1m --timeout=5s')
  })

  test('counts generations of the desired state only', async () => {
    const generation = () => same('get ks site -n apps -o jsonpath={.metadata.generation}')
    const start = Number(await generation())
    await same('annotate ks site -n apps some=thing')
    await same('patch ks site -n apps --subresource=status --type=merge -p {"status":{"observedGeneration":1}}')
    assert.equal(Number(await generation()), start)
    await same('patch ks site -n apps --type=merge -p {"spec":{"interval":"2m"}}')
    assert.equal(Number(await generation()), start + 1)
  })

  test('edits', async () => {
    const edit = async (script: string, what: string) => {
      const { stdout, stderr } = await servers.both(['edit', ...what.split(' ')], {
        env: { KUBE_EDITOR: `sed -i ${script}` },
      })
      return stdout + stderr
    }
    assert.match(await edit('s/interval:.*/interval:\\ 7m/', 'ks site -n apps'), /site edited/)
    assert.equal(await same('get ks site -n apps -o jsonpath={.spec.interval}'), '7m')
    assert.match(await edit('s/nothing/at-all/', 'ks site -n apps'), /no changes made/)
    assert.match(await edit('s/^..a:.*/\\ \\ a:\\ edited/', 'configmap client -n apps'), /client edited/)
  })

  test('refuses what is invalid, and names the field', async () => {
    assert.match(
      await same('apply --server-side --force-conflicts -f -', kustomization({ interval: 'soon' })),
      /is invalid: spec\.interval: Invalid value: "soon"/,
    )
    assert.match(
      await same('create -f -', gitRepository({ url: undefined })),
      /spec\.url: Required value|AlreadyExists/,
    )
    await same('apply -f -', kustomization({ sourceRef: { kind: 'Nonsense', name: 'x' } }))
    await same('apply -f -', kustomization({ prune: 'yes' }))
    await refuse('apply -f -', /unknown field "spec\.prunes"/, kustomization({ prunes: true }))
    await same('create configmap Upper_Case -n apps')
    await same('create configmap nowhere -n missing')
    await same('create configmap client -n apps')
  })

  test('tries without doing', async () => {
    await same('apply --dry-run=server -f -', configMap('trial', { a: '1' }))
    assert.match(await same('get configmap trial -n apps'), /NotFound/)
    const { exitCode, stdout } = await servers.both(['diff', '-f', '-'], { input: configMap('client', { a: 'new' }) })
    assert.equal(exitCode, 1)
    assert.match(stdout, /^\+ {2}a: new$/m)
  })

  test('replaces, and refuses to overwrite a concurrent change', async () => {
    await same('create configmap old -n apps --from-literal=a=1')
    await same('replace -f -', configMap('old', { b: '2' }))
    assert.equal(await same('get configmap old -n apps -o jsonpath={.data}'), '{"b":"2"}')
    const stale = JSON.parse(configMap('old', { c: '3' }))
    stale.metadata.resourceVersion = '1'
    assert.match(await same('replace -f -', JSON.stringify(stale)), /the object has been modified/)
  })

  test('keeps secrets as kubectl writes them', async () => {
    await same('create secret generic login -n apps --from-literal=user=me --from-literal=password=s3cret')
    assert.equal(await same('get secret login -n apps -o jsonpath={.data.password}'), 'czNjcmV0')
    assert.match(await same('describe secret login -n apps'), /password:\s+6 bytes/)
    await same('get secrets -n apps')
    await same('create serviceaccount robot -n apps')
    await same(`get serviceaccounts -n apps ${ours}`)
  })

  test('describes', async () => {
    await same('describe configmap client -n apps')
  })

  test('explains fields, in words of its own', async () => {
    for (const [field, type] of [
      ['kustomization.spec.interval', 'interval <string>'],
      ['gitrepository.spec.ref', 'ref <Object>'],
      ['configmap.data', 'data <map[string]string>'],
    ] as const) {
      for (const { stdout } of await servers.each(['explain', field]))
        assert.ok(stdout.includes(`FIELD: ${type}\n`), stdout)
    }
  })

  test('reports who the caller is and what they may do', async () => {
    await same('auth can-i delete kustomizations -n apps')
    await same('get --raw /readyz')
    await same('auth whoami --token=wrong')
    await same('get --raw /nothing/here')
  })

  test('deletes: by name, selector and file; finalizers hold; what is gone is waited for', async () => {
    await same('label configmap old -n apps go=now')
    assert.match(await same('delete configmaps -l go=now -n apps'), /"old" deleted/)
    await same('patch configmap client -n apps --type=merge -p {"metadata":{"finalizers":["example.org/hold"]}}')
    await same('delete configmap client -n apps --wait=false')
    await same('wait configmap/client -n apps --for=delete --timeout=1s')
    await same('patch configmap client -n apps --type=merge -p {"metadata":{"finalizers":null}}')
    assert.match(await same('get configmap client -n apps'), /NotFound/)
    await same('delete configmap client -n apps')
    await same('delete configmap client -n apps --ignore-not-found')
    await same('delete -f -', kustomization())
    await same('delete gitrepo --all -n apps')
  })

  test('empties a namespace before it goes', async () => {
    await same('delete namespace apps --timeout=5m')
    await same('get secrets -n apps')
    assert.match(await same('get namespace apps'), /NotFound/)
  })
})
