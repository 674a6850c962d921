import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expressionProblems } from '../../../../lib/engines/policy/compile-expression.ts'
import { judge } from '../../../../lib/engines/policy/judge.ts'
import { guessResource, type JudgedChange, matchesChange } from '../../../../lib/engines/policy/match-change.ts'
import type { ChangePolicy } from '../../../../lib/foundations/kinds/change-policy.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'

const policy = (spec: Partial<ChangePolicy['spec']>): ChangePolicy =>
  ({
    apiVersion: 'fleet.keelson.dev/v1alpha1',
    kind: 'ChangePolicy',
    metadata: { name: 'it' },
    spec: { action: 'Deny', failurePolicy: 'Fail', ...spec },
  }) as ChangePolicy

const deployment = (replicas: number, labels: Readonly<Record<string, string>> = {}) =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', labels },
    spec: { replicas },
  }) as KubernetesObject

const change = (more: Partial<JudgedChange> = {}): JudgedChange => ({
  ...{ operation: 'UPDATE', apiVersion: 'apps/v1', kind: 'Deployment', resource: 'deployments' },
  ...{ namespace: 'shop', name: 'web', title: 'Deployment/shop/web (web.yaml)', isHidden: false },
  ...{ object: deployment(9), oldObject: deployment(2) },
  ...more,
})

const subject = (changes: readonly JudgedChange[] = [change()]) => ({
  unit: {
    apiVersion: 'v1',
    kind: 'Kustomization',
    metadata: { name: 'app', labels: { team: 'shop' } },
  } as KubernetesObject,
  plan: { created: 0, configured: 1, recreated: 0, deleted: 3, unknown: 0, unchanged: 0, changes: [] },
  changes,
  masked: (text: string) => text.replaceAll('hunter2', '***'),
})

const messages = (spec: Partial<ChangePolicy['spec']>, changes?: readonly JudgedChange[]) =>
  judge(policy(spec), subject(changes)).map(({ message }) => message)

const validation = (expression: string, more: object = {}) => [{ expression, reason: 'Invalid' as const, ...more }]

test('a validation that is false names the object; its message is an expression, a text, or the expression itself', () => {
  const expression = 'object.spec.replicas <= 2 * oldObject.spec.replicas'
  const at = 'Deployment/shop/web (web.yaml): '
  const messageExpression = "'from ' + string(oldObject.spec.replicas) + ' to ' + string(object.spec.replicas)"
  assert.deepEqual(messages({ validations: validation(expression) }), [`${at}failed expression: ${expression}`])
  assert.deepEqual(messages({ validations: validation(expression, { message: 'twice at most' }) }), [
    `${at}twice at most`,
  ])
  const both = { message: 'twice at most', messageExpression }
  assert.deepEqual(messages({ validations: validation(expression, both) }), [`${at}from 2 to 9`])
  const fails = { message: 'twice at most', messageExpression: 'object.spec.missing' }
  assert.deepEqual(messages({ validations: validation(expression, fails) }), [`${at}twice at most`])
  const calm = [change({ object: deployment(4) })]
  assert.deepEqual(messages({ validations: validation(expression) }, calm), [])
})

test('what is hidden is in no message of an expression, and what is secret in none', () => {
  const validations = validation('false', { message: 'no', messageExpression: 'object.metadata.name' })
  assert.deepEqual(messages({ validations }, [change({ isHidden: true })]), ['Deployment/shop/web (web.yaml): no'])
  const secret = change({ object: { ...deployment(1), data: 'hunter2' } as KubernetesObject })
  const told = validation('false', { messageExpression: 'object.data' })
  assert.deepEqual(messages({ validations: told }, [secret]), ['Deployment/shop/web (web.yaml): ***'])
})

test('an expression that fails is against the policy, or not if it ignores that; no value is in the message', () => {
  const validations = validation('object.spec.missing == 1')
  const [message] = messages({ validations })
  assert.match(message ?? '', /spec\.validations\[0\]\.expression fails: .*no such key: missing/)
  assert.deepEqual(messages({ validations, failurePolicy: 'Ignore' }), [])
  const [other] = messages({ validations: validation('int(object.data) == 1') }, [
    change({ object: { ...deployment(1), data: 'secret-text' } as KubernetesObject }),
  ])
  assert.ok(other && !other.includes('secret-text'), other)
})

test('work without end is against the policy, and ends', () => {
  const numbers = JSON.stringify(Array.from({ length: 100 }, (_, index) => index))
  const all = (rest: string): string => `${numbers}.all(a, ${rest})`
  const [message] = messages({ validations: validation(`${numbers}.all(x, ${all(all(all('a >= 0')))})`) })
  assert.match(message ?? '', /takes too much work/)
})

test('match conditions: one that is false excludes the object, also beside one that fails', () => {
  const validations = validation('false')
  const conditions = (...expressions: readonly string[]) =>
    expressions.map((expression, at) => ({ name: `c${at}`, expression }))
  assert.equal(messages({ validations, matchConditions: conditions("request.operation == 'UPDATE'") }).length, 1)
  assert.deepEqual(messages({ validations, matchConditions: conditions('object.spec.missing == 1', 'false') }), [])
  const [failed] = messages({ validations, matchConditions: conditions('object.spec.missing == 1') })
  assert.match(failed ?? '', /match condition c0 fails: /)
  const ignored = {
    validations,
    matchConditions: conditions('object.spec.missing == 1'),
    failurePolicy: 'Ignore' as const,
  }
  assert.deepEqual(messages(ignored), [])
})

test('variables build on each other, and one that nobody refers to may fail', () => {
  const variables = [
    { name: 'broken', expression: 'object.spec.missing' },
    { name: 'now', expression: 'object.spec.replicas' },
    { name: 'growth', expression: 'variables.now - oldObject.spec.replicas' },
  ]
  assert.deepEqual(messages({ variables, validations: validation('variables.growth == 7') }), [])
  assert.equal(messages({ variables, validations: validation('variables.growth < 7') }).length, 1)
})

test('the plan as a whole is judged once, with unit and cluster', () => {
  const planValidations = validation("plan.deleted < 3 || unit.metadata.labels['team'] != 'shop' || cluster != null", {
    messageExpression: "string(plan.deleted) + ' deletions'",
  })
  assert.deepEqual(messages({ planValidations }, [change(), change()]), ['3 deletions'])
})

test('created and deleted objects have one side, and null for the other', () => {
  const validations = validation("request.operation != 'DELETE' || oldObject.metadata.name == 'kept' && object == null")
  const { object: _, ...deleted } = change({ operation: 'DELETE' })
  assert.equal(messages({ validations }, [deleted]).length, 1)
  const { oldObject: __, ...created } = change({ operation: 'CREATE' })
  assert.deepEqual(messages({ validations: validation('oldObject == null') }, [created]), [])
})

test('constraints are those of a ValidatingAdmissionPolicy', () => {
  const rule = {
    apiGroups: ['apps'],
    apiVersions: ['v1'],
    operations: ['CREATE' as const, 'UPDATE' as const],
    resources: ['deployments'],
  }
  const matches = (matchConstraints: object, more: Partial<JudgedChange> = {}) =>
    matchesChange(policy({ matchConstraints }).spec, change(more))
  assert.equal(matches({ resourceRules: [rule] }), true)
  assert.equal(matches({ resourceRules: [{ ...rule, operations: ['DELETE'] }] }), false)
  assert.equal(matches({ resourceRules: [{ ...rule, operations: ['*'], apiGroups: ['*'], resources: ['*'] }] }), true)
  assert.equal(matches({ resourceRules: [{ ...rule, resources: ['pods', '*/*'] }] }), true)
  assert.equal(matches({ resourceRules: [{ ...rule, resourceNames: ['api'] }] }), false)
  assert.equal(matches({ resourceRules: [rule], excludeResourceRules: [{ resourceNames: ['web'] }] }), false)
  assert.equal(matches({ resourceRules: [] }), false)
  const objectSelector = { matchLabels: { tier: 'gold' } }
  assert.equal(matches({ objectSelector }), false)
  assert.equal(matches({ objectSelector }, { oldObject: deployment(1, { tier: 'gold' }) }), true)
  const unread = { oldObject: undefined, object: undefined, operation: 'DELETE' } as unknown as JudgedChange
  assert.equal(matches({ objectSelector }, unread), true)
  const guessed = ['Deployment', 'Ingress', 'NetworkPolicy', 'Endpoints', 'Gateway'].map(guessResource)
  assert.deepEqual(guessed, ['deployments', 'ingresses', 'networkpolicies', 'endpoints', 'gatewaies'])
})

test('what is wrong with expressions is known before they are needed', () => {
  const variables = [
    { name: 'a', expression: 'variables.b' },
    { name: 'b', expression: 'params.x' },
  ]
  const validations = [
    ...validation('object.spec.replicas'),
    ...validation('1 + 1'),
    ...validation('object.spec.('),
    ...validation('variables.c == 1', { messageExpression: '1' }),
  ]
  const planValidations = validation('object == null')
  const problems = expressionProblems(policy({ variables, validations, planValidations }))
  assert.deepEqual(
    problems.map(({ field }) => field),
    [
      'spec.variables[0].expression',
      'spec.variables[1].expression',
      'spec.validations[1].expression',
      'spec.validations[2].expression',
      'spec.validations[3].expression',
      'spec.validations[3].messageExpression',
      'spec.planValidations[0].expression',
    ],
  )
  assert.match(problems[0]!.problem, /variables\.b is not defined/)
  assert.match(problems[1]!.problem, /params/)
  assert.match(problems[2]!.problem, /must be of type bool, not int/)
})
