import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFieldSelector } from '../../../../lib/hub/store/field-selector.ts'
import { ApiError } from '../../../../lib/hub/store/hub.ts'
import { parseLabelSelector } from '../../../../lib/hub/store/label-selector.ts'
import { configMap } from './world.ts'

const objects = [{}, { a: '1' }, { a: '2' }, { a: '', b: 'x' }, { 'app.kubernetes.io/name': 'web', a: '10' }] as const

/** Which of the label sets above a selector selects, by index. */
const selected = (selector: string): number[] => {
  const matches = parseLabelSelector(selector)
  return objects.flatMap((labels, index) => (matches(labels) ? [index] : []))
}

test('selects by labels as Kubernetes does', () => {
  const cases: Readonly<Record<string, readonly number[]>> = {
    '': [0, 1, 2, 3, 4],
    'a=1': [1],
    'a==1': [1],
    ' a = 1 ': [1],
    'a=': [3],
    'a!=1': [0, 2, 3, 4],
    a: [1, 2, 3, 4],
    '!a': [0],
    'a in (1, 2)': [1, 2],
    'a in (1,)': [1, 3],
    'a notin (1,2)': [0, 3, 4],
    'a>1': [2, 4],
    'a<10': [1, 2],
    'a,b': [3],
    'a,a!=1,a!=2': [3, 4],
    'app.kubernetes.io/name=web': [4],
  }
  for (const [selector, expected] of Object.entries(cases)) assert.deepEqual(selected(selector), expected, selector)
})

test('refuses what is no label selector', () => {
  for (const selector of ['a=1,', 'a b', 'a in 1', 'a in (1', '=1', ',', 'a>x', '-a=1', 'a=-1', 'a=1=2', '!', 'a in'])
    assert.throws(
      () => parseLabelSelector(selector),
      error => error instanceof ApiError && error.code === 400,
      selector,
    )
})

test('never takes an inherited property for a label', () => {
  assert.equal(parseLabelSelector('constructor')({}), false)
  assert.equal(parseLabelSelector('toString notin (x)')({}), true)
})

test('selects by the fields of a kind', () => {
  const event = {
    ...configMap('a'),
    kind: 'Event',
    involvedObject: { kind: 'Kustomization', name: 'app,=x' },
    type: 'Normal',
  }
  const matches = (selector: string) => parseFieldSelector(selector, { group: '', kind: 'Event' }).matches(event)
  assert.equal(matches('metadata.name=a,metadata.namespace==default'), true)
  assert.equal(matches('metadata.name!=a'), false)
  assert.equal(matches('involvedObject.kind=Kustomization,involvedObject.name=app\\,\\=x,type!=Warning'), true)
  assert.equal(matches('involvedObject.uid='), true)
  assert.equal(
    parseFieldSelector('a=b'.replace('a', 'metadata.name'), { group: '', kind: 'Event' }).required('metadata.name'),
    'b',
  )
})

test('refuses fields that are not selected by', () => {
  const parse = (selector: string) => () => parseFieldSelector(selector, { group: '', kind: 'ConfigMap' })
  assert.throws(parse('data.key=x'), { message: 'field label not supported: data.key' })
  assert.throws(parse('metadata.name'), {
    message: "invalid selector: 'metadata.name'; can't understand 'metadata.name'",
  })
  assert.throws(parse('metadata.name=a=b'), ApiError)
})
