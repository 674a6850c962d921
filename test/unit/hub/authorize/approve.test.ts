/** Who may decide about a plan. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Approval, ApprovalSubject } from '../../../../lib/foundations/kinds/approval.ts'
import type { Attributes } from '../../../../lib/hub/authorize/access.ts'
import { requireApprovalAllowed } from '../../../../lib/hub/authorize/approve.ts'
import { hubController } from '../../../../lib/hub/store/changers.ts'

const approval = (subject: ApprovalSubject): Approval => ({
  apiVersion: 'fleet.keelson.dev/v1alpha1',
  kind: 'Approval',
  metadata: { name: 'a', namespace: 'apps' },
  spec: { subject, digest: `sha256:${'0'.repeat(64)}`, decision: 'Approved' },
})
const plan = approval({ kind: 'Plan', name: 'shop' })
const jane = { name: 'jane', groups: [] }

test('a decision needs the verb approve on its subject, by name, in its namespace', async () => {
  const requests: Attributes[] = []
  const authorize = async (attributes: Attributes) => {
    requests.push(attributes)
    return { allowed: attributes.resource?.resource === 'plans' }
  }
  await requireApprovalAllowed(jane, plan, undefined, authorize)
  const [{ verb, resource } = { verb: '' }] = requests
  assert.deepEqual(
    [verb, resource?.group, resource?.resource, resource?.namespace, resource?.name],
    ['approve', 'fleet.keelson.dev', 'plans', 'apps', 'shop'],
  )
  await assert.rejects(
    requireApprovalAllowed(jane, approval({ kind: 'HelmRelease', name: 'shop' }), undefined, authorize),
    /user "jane" may not approve helmreleases\.helm\.toolkit\.fluxcd\.io "shop" in the namespace "apps"/,
  )
})

test('the hub itself can not decide, whatever its rights: a source would approve itself', async () => {
  const controller = { name: hubController, groups: ['system:masters'] }
  await assert.rejects(
    requireApprovalAllowed(controller, plan, undefined, async () => ({ allowed: true })),
    /a source that is applied to the hub can not approve/,
  )
})

test('an Approval that exists, and other objects, need no further right', async () => {
  const never = async () => assert.fail('nobody should be asked')
  await requireApprovalAllowed(jane, plan, plan, never)
  await requireApprovalAllowed(jane, { ...plan, kind: 'Plan' }, undefined, never)
})

test('what is no subject of a decision is left to validation, which comes later', async () => {
  const never = async () => assert.fail('nobody should be asked')
  const { spec, ...withoutSpec } = plan
  await requireApprovalAllowed(jane, withoutSpec, undefined, never)
  for (const subject of [undefined, 'Plan', { kind: 'Secret', name: 'x' }, { kind: 'constructor', name: 'x' }])
    await requireApprovalAllowed(jane, { ...plan, spec: { ...spec, subject } }, undefined, never)
})
