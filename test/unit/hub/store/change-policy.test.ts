/** What the API refuses in a ChangePolicy, and says about it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiWorld } from '../apiserver/world.ts'

const path = '/apis/fleet.keelson.dev/v1alpha1/changepolicies'

const create = async (spec: object) => {
  const body = { apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'ChangePolicy', metadata: { name: 'it' }, spec }
  const { status, json } = await (await apiWorld()).send('POST', path, { body })
  return { status, message: (json as { message?: string }).message ?? '', json }
}

const refused: readonly (readonly [title: string, spec: object, message: RegExp])[] = [
  ['without validations', {}, /spec\.validations: .*needs validations or planValidations/],
  [
    'with text that is no expression',
    { validations: [{ expression: 'object.(' }] },
    /spec\.validations\[0\]\.expression: .*failed to parse/s,
  ],
  ['with a number in place of a decision', { validations: [{ expression: '1 + 1' }] }, /must be of type bool, not int/],
  ['with params, which there are not', { validations: [{ expression: 'params.x == 1' }] }, /Unknown variable: params/],
  [
    'about one object of a plan',
    { planValidations: [{ expression: 'object == null' }] },
    /spec\.planValidations\[0\]\.expression: .*Unknown variable: object/s,
  ],
  [
    'with a variable that is not defined',
    { validations: [{ expression: 'variables.a' }] },
    /variables\.a is not defined/,
  ],
  [
    'with a selector that selects by nothing',
    { unitSelector: { matchExpressions: [{ key: 'a', operator: 'Is' }] }, validations: [{ expression: 'true' }] },
    /spec\.unitSelector\.matchExpressions\[0\]\.operator/,
  ],
  ['without an expression', { validations: [{ message: 'no' }] }, /spec\.validations\[0\]\.expression: Required value/],
  [
    'with the operation of a proxy',
    { matchConstraints: { resourceRules: [{ operations: ['CONNECT'] }] }, validations: [{ expression: 'true' }] },
    /supported values: "CREATE", "UPDATE", "DELETE", "\*"/,
  ],
]

for (const [title, spec, message] of refused)
  test(`the API refuses a ChangePolicy ${title}, and names the field`, async () => {
    const { status, message: found } = await create(spec)
    assert.equal(status, 422, found)
    assert.match(found, message)
  })

test('the API accepts what a ValidatingAdmissionPolicy says, with the defaults of one', async () => {
  const { status, json } = await create({
    matchConstraints: {
      resourceRules: [
        { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['deployments'] },
      ],
    },
    matchConditions: [{ name: 'live', expression: "request.namespace != 'sandbox'" }],
    variables: [{ name: 'containers', expression: 'object.spec.template.spec.containers' }],
    validations: [
      {
        expression: "variables.containers.all(c, !c.image.endsWith(':latest'))",
        messageExpression: "'image of ' + object.metadata.name",
        reason: 'Forbidden',
      },
    ],
  })
  assert.equal(status, 201, JSON.stringify(json))
  const { spec } = json as { spec: Record<string, unknown> }
  assert.deepEqual([spec.action, spec.failurePolicy], ['Deny', 'Fail'])
})
