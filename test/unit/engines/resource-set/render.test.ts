import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withCommonMetadata } from '../../../../lib/engines/resource-set/common-metadata.ts'
import { identityOf } from '../../../../lib/engines/resource-set/identity.ts'
import { readObject } from '../../../../lib/engines/resource-set/read-objects.ts'
import { render } from '../../../../lib/engines/resource-set/render.ts'
import { Budget, BudgetExceeded, type Limits } from '../../../../lib/foundations/budget/budget.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { InputSet, ResourceSetSpec } from '../../../../lib/foundations/kinds/resource-set.ts'

const configMap = (name: string, data: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'apps', ...metadata },
  data,
})

const objectsOf = (spec: ResourceSetSpec, ...inputs: InputSet[]): readonly KubernetesObject[] =>
  render(spec, inputs).flatMap(({ objects }) => objects)
const names = (spec: ResourceSetSpec, ...inputs: InputSet[]) => objectsOf(spec, ...inputs).map(o => o.metadata.name)
/** The values that one template of a ConfigMap's data renders to. */
const values = (data: object, inputs: InputSet) => objectsOf({ resources: [configMap('x', data)] }, inputs)[0]!.data

const tenants = [{ tenant: 'one' }, { tenant: 'two' }]

test('RS-005 RS-037 renders every template once for each set of inputs', () => {
  const resources = [configMap('a-<< inputs.tenant >>'), configMap('b-<< inputs.tenant >>')]
  assert.deepEqual(names({ resources }, ...tenants), ['a-one', 'a-two', 'b-one', 'b-two'])
})

test('RS-006 without inputs renders once; but not when providers were asked and had none', () => {
  assert.deepEqual(names({ resources: [configMap('fixed')] }), ['fixed'])
  assert.deepEqual(names({ resources: [configMap('fixed')], inputsFrom: [{ name: 'p' }] }), [])
})

test('RS-007 a missing input fails with its name and the place of the template', () => {
  assert.throws(
    () => names({ resources: [configMap('ok'), configMap('<< inputs.nope >>')] }, ...tenants),
    /failed to build resources\[1\]: failed to execute template: template: resourceset:5:11: executing "resourceset" at <inputs>: map has no entry for key "nope"/,
  )
})

test('RS-038 what Helm would read passes unchanged', () => {
  assert.deepEqual(values({ a: '{{ .Values.x }} << inputs.y >>' }, { y: 1 }), { a: '{{ .Values.x }} 1' })
})

test('RS-039 RS-040 RS-041 knows the actions, comparisons and functions of Go templates and slim-sprig', () => {
  const inputs = { list: ['x', 'y'], n: 3, map: { b: 1, a: [1] }, text: 'Feat/One' }
  const data = {
    logic: '<< if and (eq inputs.n 3) (ne "a" "b") (lt 1 2) (not false) >>yes<< else >>no<< end >>!',
    range: '<< range $i, $v := inputs.list >><< $i >>=<< $v >>;<< end >>',
    trim: 'a <<- /* gone */ ->> b',
    with: '<< with inputs.map >><< index .a 0 >>-<< .b >><< end >>',
    sprig: '<< inputs.text | lower | replace "/" "-" | trunc 6 >>',
    more: '<< ternary "on" "off" (has "x" inputs.list) >>-<< inputs.list | join "," >>-<< add 1 2 >>',
  }
  assert.deepEqual(values(data, inputs), {
    logic: 'yes!',
    range: '0=x;1=y;',
    trim: 'ab',
    with: '1-1',
    sprig: 'feat-o',
    more: 'on-x,y-3',
  })
})

test('RS-042 RS-043 RS-044 RS-045 quote, int, toYaml, get with default, and slugify do as documented', () => {
  const inputs = { version: '1.0', replicas: '3', layer: { op: 'copy', deep: { a: 1 } }, name: 'Feat/One_Two' }
  const resources = [
    {
      ...configMap('x'),
      spec: {
        version: '<< inputs.version | quote >>',
        replicas: '<< inputs.replicas | int >>',
        layer: '<< inputs.layer | toYaml | nindent 4 >>',
        fallback: '<< get inputs "nope" | default inputs.name | slugify >>',
      },
    },
  ]
  assert.deepEqual(objectsOf({ resources }, inputs)[0]!.spec, {
    version: '1.0',
    replicas: 3,
    layer: { op: 'copy', deep: { a: 1 } },
    fallback: 'feat-one_two',
  })
})

test('RS-046 functions that reach outside are not there', () => {
  for (const call of ['env "HOME"', 'expandenv "x"', 'getHostByName "x"', 'readFile "x"'])
    assert.throws(() => values({ a: `<< ${call} >>` }, {}), /failed to parse template: .*function "\w+" not defined/)
})

test('RS-047 what renders to no object fails with the place of the template', () => {
  assert.throws(
    () => objectsOf({ resources: [configMap('x', { a: '<< inputs.x >>' })] }, { x: 'a: b: c' }),
    /failed to build resources\[0\]: failed to read object: error converting YAML to JSON: yaml: line 3: mapping values are not allowed/,
  )
  assert.throws(
    () => objectsOf({ resourcesTemplate: 'just text' }, {}),
    /failed to build resources: failed to read objects from multi-doc YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string/,
  )
  assert.throws(
    () => objectsOf({ resourcesTemplate: 'metadata:\n  name: x\n' }, {}),
    /Object 'Kind' is missing in '{"metadata":{"name":"x"}}'/,
  )
  assert.throws(() => objectsOf({ resourcesTemplate: 'a: 1\n--- b' }, {}), /invalid Yaml document separator: b/)
})

test('RS-048 what renders to nothing adds no object', () => {
  assert.deepEqual(objectsOf({ resourcesTemplate: '# a comment\n---\n<< if false >>kind: X<< end >>\n' }, {}), [])
})

test('RS-049 a resourcesTemplate is any number of objects for each set of inputs', () => {
  const resourcesTemplate = `---
apiVersion: v1
kind: Namespace
metadata:
  name: << inputs.tenant >>
<<- range $name := inputs.accounts >>
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: << $name >>
  namespace: << inputs.tenant >>
<<- end >>
`
  const inputs = [
    { tenant: 'one', accounts: ['a', 'b'] },
    { tenant: 'two', accounts: [] },
  ]
  assert.deepEqual(names({ resourcesTemplate }, ...inputs), ['one', 'a', 'b', 'two'])
})

test('reads the items of a List, and leaves out what has no name', () => {
  const list = { apiVersion: 'v1', kind: 'List', items: [configMap('a'), configMap('b')] }
  const nameless = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: x}'
  assert.deepEqual(names({ resourcesTemplate: `${JSON.stringify(list)}\n---\n${nameless}\n` }, {}), ['a', 'b'])
})

test('RS-050 of resources and resourcesTemplate, an object of resources stands', () => {
  const spec = {
    resources: [configMap('both', { from: 'resources' })],
    resourcesTemplate: `${JSON.stringify(configMap('both', { from: 'template' }))}\n---\n${JSON.stringify(configMap('other'))}`,
  }
  assert.deepEqual(
    objectsOf(spec, {}).map(({ metadata, data }) => [metadata.name, data]),
    [
      ['both', { from: 'resources' }],
      ['other', {}],
    ],
  )
})

test('RS-053 a template that makes too much fails', () => {
  const repeat = '<< range until 100000 >><< repeat 1000 "x" >><< end >>'
  assert.throws(() => values({ a: repeat }, {}), /output exceeds \d+ characters/)
})

test('RS-054 RS-055 RS-056 an object that several sets render stands once, as the first rendered it', () => {
  const resources = [configMap('shared', { tenant: '<< inputs.tenant >>' })]
  assert.deepEqual(
    objectsOf({ resources }, ...tenants).map(({ data }) => data),
    [{ tenant: 'one' }],
  )
  assert.deepEqual(names({ resources }, tenants[1]!), ['shared'])
})

test('RS-068 RS-070 an object that is disabled is left out, for the sets that say so', () => {
  const reconcile = '<< if eq inputs.tenant "one" >>enabled<< else >>disabled<< end >>'
  const annotations = { 'fluxcd.controlplane.io/reconcile': reconcile }
  assert.deepEqual(names({ resources: [configMap('<< inputs.tenant >>', {}, { annotations })] }, ...tenants), ['one'])
})

test('RS-075 an object may be in one step only', () => {
  const steps = [
    { name: 'one', resources: [configMap('same')] },
    { name: 'two', resources: [configMap('same')] },
  ]
  assert.throws(
    () => render({ steps }, [{}]),
    /duplicate resource ConfigMap\/apps\/same in step "two", already defined in step "one"/,
  )
  assert.throws(
    () => render({ steps: [{ name: 'one' }] }, [{}]),
    /step "one": at least one of resources or resourcesTemplate/,
  )
})

test('RS-078 RS-079 RS-080 common metadata wins, and is no template', () => {
  const metadata = { labels: { team: 'x', own: 'y' } }
  const commonMetadata = {
    labels: { team: 'platform' },
    annotations: { 'fluxcd.controlplane.io/prune': 'disabled', note: '<< inputs.tenant >>' },
  }
  const [object] = objectsOf({ resources: [configMap('a', {}, metadata)], commonMetadata }, ...tenants)
  assert.deepEqual(object!.metadata, {
    name: 'a',
    namespace: 'apps',
    labels: { team: 'platform', own: 'y' },
    annotations: { 'fluxcd.controlplane.io/prune': 'disabled', note: '<< inputs.tenant >>' },
  })
})

test('what one template sets in its inputs, no other one sees', () => {
  const change = '<< $_ := set inputs "tenant" "changed" >><< inputs.tenant >>'
  const resources = [configMap('a', { x: change }), configMap('b', { x: '<< inputs.tenant >>' })]
  assert.deepEqual(
    objectsOf({ resources }, tenants[0]!).map(({ data }) => data),
    [{ x: 'changed' }, { x: 'one' }],
  )
})

test('keys of untrusted inputs reach no prototype', () => {
  const inputs = JSON.parse('{"__proto__": {"polluted": "yes"}, "constructor": 1}') as InputSet
  values({ a: '<< get inputs "constructor" >>-<< hasKey inputs "toString" >>' }, inputs)
  assert.equal(({} as { polluted?: string }).polluted, undefined)
  assert.deepEqual(values({ a: '<< hasKey inputs "toString" >>-' }, { x: 1 }), { a: 'false-' })
})

test('RS-071 templates in steps and beside them are refused by whoever renders, too', () => {
  const steps = [{ name: 'one', resources: [configMap('a')] }]
  const message = 'steps is mutually exclusive with resources and resourcesTemplate'
  assert.throws(() => render({ steps, resources: [configMap('b')] }, []), { message })
  assert.throws(() => render({ steps, resourcesTemplate: 'x: 1' }, [{}]), { message })
  assert.equal(render({ steps, resources: [] }, []).length, 1)
})

test('RS-006 steps keep their names when providers were asked and had none', () => {
  const steps = [
    { name: 'one', resources: [configMap('a')] },
    { name: 'two', resourcesTemplate: 'kind: X' },
  ]
  assert.deepEqual(render({ steps, inputsFrom: [{ name: 'p' }] }, []), [
    { name: 'one', objects: [] },
    { name: 'two', objects: [] },
  ])
  assert.deepEqual(render({ inputsFrom: [{ name: 'p' }] }, []), [{ objects: [] }])
  assert.deepEqual(names({ resources: [configMap('fixed')], inputsFrom: [] }), ['fixed'])
})

test('without inputs a template is known by what it is, not by its number, and may render an object twice', () => {
  const resources = [configMap('same'), configMap('same')]
  assert.deepEqual(names({ resources }), ['same', 'same'])
  assert.throws(() => names({ resources: [configMap('<< nope >>')] }), {
    message: /^failed to build resource: failed to parse template: /,
  })
})

test('an error in a step names the step, and keeps what caused it', () => {
  const steps = [{ name: 'one', resources: [configMap('<< inputs.nope >>')] }]
  assert.throws(
    () => render({ steps }, [{}]),
    (error: Error) => {
      assert.match(error.message, /^step "one": failed to build resources\[0\]: failed to execute template: /)
      assert.equal((error.cause as Error).message, error.message.slice('step "one": '.length))
      return true
    },
  )
  for (const step of [{ name: 'one' }, { name: 'one', resources: [] }, { name: 'one', resourcesTemplate: '' }])
    assert.throws(() => render({ steps: [step] }, [{}]), {
      message: 'step "one": at least one of resources or resourcesTemplate must be set',
    })
})

test('a step may render an object twice, from its own templates', () => {
  const steps = [{ name: 'one', resources: [configMap('same'), configMap('same')] }]
  assert.deepEqual(
    render({ steps }, []).map(({ name, objects }) => [name, objects.length]),
    [['one', 2]],
  )
})

test('each run of a template is bounded as the caller says', () => {
  const spec = { resources: [configMap('a', { x: '<< repeat 1000 "x" >>' })] }
  assert.throws(() => render(spec, [], { limits: { output: 500 } }), /output exceeds 500 characters/)
})

const overBudget = (spec: Parameters<typeof render>[0], sets: Parameters<typeof render>[1], limits: Limits) => {
  try {
    render(spec, sets, { budget: new Budget(limits) })
  } catch (error) {
    assert(error instanceof BudgetExceeded, String(error))
    return [error.budget, error.place]
  }
  return assert.fail('stayed within its budget')
}

test('all templates together stay within one budget of bytes, nodes, resources and steps', () => {
  const sets = Array.from({ length: 50 }, (_, i) => ({ id: i }))
  const each = { resources: [configMap('a-<< inputs.id >>', { x: '<< repeat 1000 "x" >>' })] }
  assert.equal(render(each, sets, { budget: new Budget({ resources: 50 }) })[0]!.objects.length, 50)
  assert.deepEqual(overBudget(each, sets, { resources: 49 }), ['resources', 'resources[0]'])
  assert.deepEqual(overBudget(each, sets, { bytes: 20_000 }), ['bytes', ''])
  assert.deepEqual(overBudget(each, sets, { nodes: 100 }), ['nodes', ''])
  const loops = { resourcesTemplate: '<< range until 2000 >><< end >>' }
  assert.deepEqual(overBudget(loops, sets, { steps: 10_000 }), ['steps', ''])
  const aliased = {
    resourcesTemplate: `kind: List\nitems:\n- &a {kind: A, apiVersion: v1, metadata: {name: x}}\n<< repeat 5000 "- *a\\n" >>`,
  }
  assert.deepEqual(overBudget(aliased, [], { resources: 5000 }), ['resources', 'resourcesTemplate'])
  assert.deepEqual(overBudget(aliased, [], { nodes: 20_000 }), ['nodes', ''])
})

test('documents are cut at their lines, and only objects of a cluster are taken', () => {
  const named = (name: string, kind = 'A') => `apiVersion: v1\nkind: ${kind}\nmetadata: {name: ${name}}\n`
  const namesIn = (resourcesTemplate: string) => names({ resourcesTemplate }, {})
  assert.deepEqual(namesIn(`${named('a')}--- # comment\n${named('b')}---\t\n${named('c')}---`), ['a', 'b', 'c'])
  assert.deepEqual(namesIn(`---\n---\nnull\n---\n${named('a')}`), ['a'])
  assert.deepEqual(namesIn(named('a', 'ThingList')), ['a'])
  assert.deepEqual(namesIn('kind: A\nmetadata: {name: a}\n'), [])
  const kustomization = (group: string) => named('k', 'Kustomization').replace('v1', `${group}/v1`)
  assert.deepEqual(namesIn(kustomization('kustomize.config.k8s.io')), [])
  assert.deepEqual(namesIn(kustomization('kustomize.toolkit.fluxcd.io')), ['k'])
  assert.deepEqual(namesIn(`${named('a')}note: x --- y\n`), ['a'])
  assert.deepEqual(namesIn('apiVersion: v1\nkind: A\n'), [])
  const items = `items:\n- ${JSON.stringify(configMap('item'))}\n`
  assert.deepEqual(namesIn(`kind: ThingList\n${items}`), ['item'])
  assert.deepEqual(namesIn(`${named('a', 'ListThing')}${items}`), ['a'])
  assert.deepEqual(namesIn(`kind: X\n${named('a')}`), ['a'])
  assert.equal(readObject('---\nkind: A\n')!.kind, 'A')
  assert.deepEqual(namesIn(named('a').replace('v1', 'kustomize.config.k8s.io/v1')), ['a'])
})

test('what is no object is told by its type', () => {
  const why = (resourcesTemplate: string) => {
    try {
      return String(names({ resourcesTemplate }, {}))
    } catch (error) {
      return (error as Error).message.split('while decoding JSON: ')[1]
    }
  }
  const into = 'into Go value of type map[string]interface {}'
  assert.equal(why('[1]'), `json: cannot unmarshal array ${into}`)
  assert.equal(why('true'), `json: cannot unmarshal bool ${into}`)
  assert.equal(why('1'), `json: cannot unmarshal number ${into}`)
  assert.equal(why('12345678901234567890'), `json: cannot unmarshal number ${into}`)
  assert.equal(why('text'), `json: cannot unmarshal string ${into}`)
  assert.equal(why('kind: ""'), `Object 'Kind' is missing in '{"kind":""}'`)
  assert.equal(why('kind: 1'), `Object 'Kind' is missing in '{"kind":1}'`)
})

test('RS-052 RS-078 marks that are not all text count as none, and common ones are added to those there are', () => {
  const odd = { labels: { a: 1 }, annotations: { b: true } }
  const [object] = objectsOf({ resources: [configMap('a', {}, odd)], commonMetadata: { labels: { l: 'x' } } })
  assert.deepEqual(object!.metadata, { name: 'a', namespace: 'apps', labels: { l: 'x' }, annotations: { b: true } })
  const [other] = objectsOf({ resources: [configMap('a', {}, odd)], commonMetadata: { annotations: { l: 'x' } } })
  assert.deepEqual(other!.metadata, { name: 'a', namespace: 'apps', labels: { a: 1 }, annotations: { l: 'x' } })
  const mixed = { labels: { a: 1, b: 'x' } }
  const [third] = objectsOf({ resources: [configMap('a', {}, mixed)], commonMetadata: { labels: { l: 'x' } } })
  assert.deepEqual(third!.metadata.labels, { l: 'x' })
  const commonMetadata = { labels: { l: 'x' }, annotations: { n: 'y' } }
  const [bare] = objectsOf({ resources: [{ apiVersion: 'v1', kind: 'A' }], commonMetadata }, {})
  assert.deepEqual(bare!.metadata, commonMetadata)
  assert.equal(withCommonMetadata(plainObject), plainObject)
  const [plain] = objectsOf({ resources: [configMap('a')], commonMetadata: {} })
  assert.deepEqual(plain!.metadata, { name: 'a', namespace: 'apps' })
})

const plainObject = { apiVersion: 'v1', kind: 'A', metadata: { name: 'x' } }

test('a name that is no text is none', () => {
  const numbered = { ...plainObject, metadata: { name: 1 } } as unknown as KubernetesObject
  assert.deepEqual(identityOf(numbered), { group: '', kind: 'A', namespace: '', name: '' })
})

test('a resource that renders to nothing adds no object', () => {
  assert.deepEqual(objectsOf({ resources: [{ '<< if false >>a': 1, z: '<< end >>' }] }, {}), [])
})

test('rendered text is read as an API server reads YAML: yes is true, and of a key given twice the last counts', () => {
  assert.equal(readObject('kind: A\nkind: B\nx: yes\n')!.kind, 'B')
  assert.equal(readObject('kind: A\nx: yes\n')!.x, true)
})

test('what YAML says is wrong stays the cause', () => {
  assert.throws(
    () => readObject('a: b: c'),
    ({ message, cause }: Error) =>
      message.startsWith('error converting YAML to JSON: yaml: ') && (cause as Error).name === 'YamlError',
  )
})
