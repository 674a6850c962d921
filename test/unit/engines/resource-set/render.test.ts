import assert from 'node:assert/strict'
import { test } from 'node:test'
import { render } from '../../../../lib/engines/resource-set/render.ts'
import type { InputSet } from '../../../../lib/foundations/kinds/resource-set.ts'
import { configMap, names, objectsOf, tenants, values } from './render-bed.ts'

test('RS-005 RS-037 renders every template once for each set of inputs', () => {
  const resources = [configMap('a-<< inputs.tenant >>'), configMap('b-<< inputs.tenant >>')]
  assert.deepEqual(names({ resources }, ...tenants), ['a-one', 'a-two', 'b-one', 'b-two'])
})

test('RS-006 without inputs renders once, but not if providers had none', () => {
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

test('RS-050 of resources and resourcesTemplate, an object of resources wins', () => {
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

test('RS-054 RS-055 RS-056 an object that several sets render is rendered once, as the first rendered it', () => {
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

test('RS-071 templates in steps and beside them are also refused when rendered', () => {
  const steps = [{ name: 'one', resources: [configMap('a')] }]
  const message = 'steps is mutually exclusive with resources and resourcesTemplate'
  assert.throws(() => render({ steps, resources: [configMap('b')] }, []), { message })
  assert.throws(() => render({ steps, resourcesTemplate: 'x: 1' }, [{}]), { message })
  assert.equal(render({ steps, resources: [] }, []).length, 1)
})

test('RS-006 steps keep their names if providers had no inputs', () => {
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
