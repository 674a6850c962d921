import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseYaml } from '../../../../../lib/engines/yaml/parse.ts'
import { configMap, functionFile, programs } from './fake-runner.ts'
import { CONFIG_MAP } from './plugin-scene.ts'

const transforming = { 'kustomization.yaml': 'resources: [a.yaml]\ntransformers: [f.yaml]\n' }
const generating = { 'kustomization.yaml': 'resources: [a.yaml]\ngenerators: [f.yaml]\n' }
const listOf = (...items: readonly string[]): string =>
  `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n${items.map(item => `- ${item.trim().replaceAll('\n', '\n  ')}\n`).join('')}`

test('gives a function all resources, and its configuration, as a ResourceList', async () => {
  const { build, requests } = programs(({ stdin }) => stdin)
  const spec = `exec: {path: ./bin/../f.sh, args: [-v, 5, true], envs: [A=1, B, C=1=2, A=2, D=]}`
  const files = { ...transforming, 'f.yaml': functionFile(spec), 'sub/data.txt': 'text' }
  assert.equal(await build(files, { functionEnvironment: ['D=d', 'E=e', 'F'] }), CONFIG_MAP)
  const [{ stdin, files: given, ...request }] = requests as [(typeof requests)[number]]
  assert.deepEqual(request, {
    program: { local: 'f.sh' },
    args: ['-v', '5', 'true'],
    environment: { A: '2', D: 'd', E: 'e' },
  })
  assert.deepEqual([...given.keys()].sort(), ['a.yaml', 'f.yaml', 'kustomization.yaml', 'sub/data.txt'])
  assert.deepEqual(parseYaml(stdin), [
    {
      apiVersion: 'config.kubernetes.io/v1',
      kind: 'ResourceList',
      items: parseYaml(CONFIG_MAP),
      functionConfig: parseYaml(files['f.yaml'])[0],
    },
  ])
})

test('gives a function that generates no resources, and reads its list of them', async () => {
  const { build, requests } = programs(() => listOf(configMap('made')))
  const files = { ...generating, 'f.yaml': functionFile('exec: {path: f.sh}', 'config.k8s.io/function') }
  assert.equal(await build(files), `${CONFIG_MAP}---\n${configMap('made')}`)
  assert.deepEqual((parseYaml(requests[0]!.stdin)[0] as { items: unknown }).items, [])
  assert.deepEqual([requests[0]!.args, requests[0]!.environment], [[], {}])
})

test('puts what a function gives back in the place of all resources, in the order that they had', async () => {
  const files = {
    ...transforming,
    'kustomization.yaml': 'resources: [a.yaml, b.yaml, c.yaml]\nnamePrefix: p-\ntransformers: [f.yaml]\n',
    'b.yaml': configMap('b'),
    'c.yaml': configMap('c'),
    'f.yaml': functionFile('exec: {path: f.sh}'),
  }
  const { build } = programs(() => listOf(configMap('new'), configMap('p-c', 'data: {k: "1"}'), configMap('p-a')))
  const changed = 'apiVersion: v1\ndata:\n  k: "1"\nkind: ConfigMap\nmetadata:\n  name: p-c\n'
  assert.equal(await build(files), [configMap('p-a'), changed, configMap('new')].join('---\n'))
  const twice = programs(() => listOf(configMap('new'), configMap('p-a'), configMap('new')))
  await assert.rejects(twice.build(files), {
    message: 'plugin F f generated duplicate resource: ConfigMap.v1.[noGrp]/new.[noNs]',
  })
})

const annotated = (annotations: string): string => `${configMap('made')}  annotations: {${annotations}}\ndata: {a: b}\n`

test('adds hashes to names, and merges, if a function requests it in annotations', async () => {
  const files = { ...generating, 'f.yaml': functionFile('exec: {path: f.sh}') }
  const made = (annotations: string) => programs(() => annotated(annotations)).build(files)
  const plain = (await made('kustomize.config.k8s.io/needs-hash: "F", other: "1"')).slice(CONFIG_MAP.length)
  assert.equal(
    plain,
    `---\napiVersion: v1\ndata:\n  a: b\nkind: ConfigMap\nmetadata:\n  annotations:\n    other: "1"\n  name: made\n`,
  )
  for (const yes of ['1', 't', 'T', 'true', 'TRUE', 'True'])
    assert.match(
      await made(`kustomize.config.k8s.io/needs-hash: "${yes}"`),
      /metadata:\n {2}name: made-[a-z0-9]{10}\n$/,
    )
  for (const no of ['0', 'f', 'F', 'false', 'FALSE', 'False'])
    assert.match(await made(`kustomize.config.k8s.io/needs-hash: "${no}"`), /metadata:\n {2}name: made\n$/)
  await assert.rejects(made('kustomize.config.k8s.io/needs-hash: "yes"'), {
    message: 'the annotation "kustomize.config.k8s.io/needs-hash" contains an invalid value ("yes")',
    field: 'kustomize.config.k8s.io/needs-hash',
  })
  const merging = programs(() => annotated('kustomize.config.k8s.io/behavior: merge').replace('name: made', 'name: a'))
  assert.equal(await merging.build(files), 'apiVersion: v1\ndata:\n  a: b\nkind: ConfigMap\nmetadata:\n  name: a\n')
})

test('merges into the data of a Secret what its stringData says, and of no other kind that is called so', async () => {
  const secret = (apiVersion: string, more: string) =>
    `apiVersion: ${apiVersion}\nkind: Secret\nmetadata:\n  name: a\n${more}`
  const merged = (apiVersion: string) =>
    programs(() =>
      secret(apiVersion, '  annotations: {kustomize.config.k8s.io/behavior: merge}\ndata: {new: Yg==}\n'),
    ).build({
      ...generating,
      'f.yaml': functionFile('exec: {path: f.sh}'),
      'a.yaml': secret(apiVersion, 'stringData: {old: a}\n'),
    })
  assert.match(await merged('v1'), /data:\n {2}new: Yg==\n {2}old: YQ==\n/)
  assert.match(await merged('example.com/v1'), /data:\n {2}new: Yg==\nkind/)
})

test('says how a function failed', async () => {
  const files = { ...transforming, 'f.yaml': functionFile('exec: {path: f.sh}') }
  const failing = (outcome: object) => programs(() => outcome).build(files)
  const message = "couldn't execute function: failure in plugin F f; exit status"
  await assert.rejects(failing({ exitCode: 127 }), { message: `${message} 127`, file: 'f.yaml' })
  await assert.rejects(failing({ exitCode: 1, stderr: ' no\n size\n' }), {
    message: "couldn't execute function: no\n size: failure in plugin F f; exit status 1",
    file: 'kustomization.yaml',
  })
  await assert.rejects(failing({ problem: 'too slow', stderr: '\n' }), {
    message: "couldn't execute function: failure in plugin F f; too slow",
  })
  await assert.rejects(failing({ stdout: 'a: b' }), {
    message: "couldn't execute function: missing Resource metadata",
    file: 'f.yaml',
  })
  const merging = programs(() => annotated('kustomize.config.k8s.io/behavior: merge'))
  await assert.rejects(merging.build({ ...files, ...generating }), { file: 'f.yaml', field: 'behavior' })
})

test('names the annotation of a function that is invalid or unavailable', async () => {
  for (const annotation of ['config.kubernetes.io/function', 'config.k8s.io/function']) {
    const built = (spec: string) =>
      programs(() => '').build({ ...transforming, 'f.yaml': functionFile(spec, annotation) })
    const place = { file: 'f.yaml', field: annotation }
    await assert.rejects(built('container: {image: x}'), place)
    await assert.rejects(built('a: b: c'), {
      message: `loader: failed to get FunctionSpec: ${annotation} unmarshal error: error converting YAML to JSON: yaml: mapping values are not allowed in this context`,
      ...place,
    })
  }
  const none = `apiVersion: x/v1\nkind: F\nmetadata: {name: f, annotations: {config.kubernetes.io/function: ""}}\n`
  await assert.rejects(programs(() => '').build({ ...transforming, 'f.yaml': none }), /external plugins disabled/)
})

test('runs no program from outside of the directory, and nothing but programs', async () => {
  const refused = async (spec: string, plugins = {}, options = {}): Promise<string> => {
    const { build, requests } = programs(() => '')
    const error = await build({ ...transforming, 'f.yaml': functionFile(spec) }, plugins, options).then(
      () => assert.fail('was built'),
      error => error as Error & { file?: string },
    )
    assert.deepEqual([requests, error.file], [[], 'f.yaml'])
    return error.message
  }
  const id = 'plugin F.v1.x/f.[noNs]'
  const container = `${id} is a container function; only functions with exec can be run here`
  const root = "couldn't execute function: root working directory '/' not allowed"
  const network = "couldn't execute function: network required but not enabled with --network"
  const elsewhere = { shownRoot: '/work' }
  for (const path of ['/bin/sh', '../f.sh', 'a/../../f.sh'])
    assert.equal(await refused(`exec: {path: ${path}}`), `${id}: ${path} is not below the kustomization's directory`)
  for (const spec of ['exec: {path: 5}', 'exec: f.sh', 'text', '[]', 'container: {image: x}', 'container: x'])
    assert.deepEqual([await refused(spec), await refused(spec, {}, elsewhere)], [root, container])
  const wanting = 'container: {image: x, network: true}'
  assert.equal(await refused(wanting, {}, elsewhere), network)
  assert.equal(await refused(wanting, { functionNetwork: true }, elsewhere), container)
  assert.equal(await refused('container: {image: x, network: "yes"}', {}, elsewhere), container)
  const mounting = (src: string): string => `container: {image: x, mounts: [{type: bind, src: ${src}}]}`
  const mount = (src: string): string => `${id} with mount path '${src}' is not permitted; mount paths must be`
  assert.equal(await refused(mounting('/x')), `${mount('/x')} relative to the current kustomization directory`)
  assert.equal(await refused(mounting('../x')), `${mount('../x')} under the current kustomization directory`)
  for (const spec of [mounting('x'), mounting('5'), 'container: {mounts: x}', 'container: {mounts: [x]}'])
    assert.equal(await refused(spec), root)
  assert.equal(
    await refused('exec: {path: f.sh}', { localFunctions: false }),
    "functions are disabled; unable to run the function of 'F'",
  )
  assert.equal(
    await refused('exec: {path: f.sh}', { localFunctions: undefined }),
    "functions are disabled; unable to run the function of 'F'",
  )
})
