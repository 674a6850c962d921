import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Approval } from '../../../../lib/foundations/kinds/approval.ts'
import { type ApprovalPolicy, approvalPolicyOf } from '../../../../lib/foundations/rules/approvals.ts'
import type { ListDecisions } from '../../../../lib/foundations/rules/list-approval.ts'
import { type GuardMemory, guardDeletions, listDigest } from '../../../../lib/foundations/rules/prune-guard.ts'

const now = Date.parse('2026-11-28T12:00:00Z')
const deletable = ['apps_a__ConfigMap', 'apps_b__ConfigMap']
const digest = listDigest(deletable)
const subject = { kind: 'Kustomization', name: 'app' } as const

let made = 0
const by = (approver: string | undefined, spec: Partial<Approval['spec']> = {}): Approval => ({
  apiVersion: 'fleet.keelson.dev/v1alpha1',
  kind: 'Approval',
  metadata: { name: `a${++made}`, uid: `uid-${made}`, namespace: 'apps', creationTimestamp: '2026-11-28T11:00:00Z' },
  spec: { subject, digest, decision: 'Approved', ...(approver !== undefined && { approver }), ...spec },
})

const policyOf = (annotations: Readonly<Record<string, string>>): ApprovalPolicy =>
  approvalPolicyOf([
    {
      owner: 'Namespace apps',
      object: {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'apps', annotations: { 'fleet.keelson.dev/approval': 'OnDelete', ...annotations } },
      },
    },
  ])!

const ask = (
  approvals: readonly Approval[],
  more: Partial<ListDecisions> = {},
  { memory = {}, approval }: { readonly memory?: GuardMemory; readonly approval?: string } = {},
) =>
  guardDeletions({
    ...{ deletable, kept: 0, built: 0, reasons: new Map(), inside: new Map(), limits: [], memory, approval },
    decisions: { approvals, subject, now, ...more },
  })
const isHeld = (...question: Parameters<typeof ask>) => ask(...question).held !== undefined

test('an Approval releases exactly the list with its digest, of its unit', () => {
  assert.equal(isHeld([]), true)
  const jane = by('jane')
  assert.deepEqual(ask([jane]), { released: deletable, usedApprovals: [jane.metadata.uid] })
  for (const other of [
    by('jane', { digest: listDigest(deletable.slice(1)) }),
    by('jane', { subject: { ...subject, name: 'other' } }),
    by('jane', { subject: { ...subject, kind: 'ResourceSet' } }),
    by('jane', { expiresAt: '2026-11-28T12:00:00Z' }),
    by(undefined), // not signed by the API server
  ])
    assert.equal(isHeld([other]), true, JSON.stringify(other.spec))
})

test('an Approval counts once, also while it is still there', () => {
  const [jane, other] = [by('jane'), by('jane', { digest: listDigest(['x']) })]
  const released = ask([jane, other])
  const gone = guardDeletions({
    ...{ deletable: [], kept: 2, built: 2, reasons: new Map(), inside: new Map(), limits: [], memory: released },
  })
  assert.deepEqual(gone, { usedApprovals: [jane.metadata.uid] })
  const again = ask([jane], {}, { memory: gone })
  assert.equal(again.held?.digest, digest)
  const second = by('jane')
  assert.deepEqual(ask([jane, second], {}, { memory: again }).usedApprovals, [jane.metadata.uid, second.metadata.uid])
  assert.deepEqual(
    ask([second], {}, { memory: again }).usedApprovals,
    [second.metadata.uid],
    'jane has deleted the old one',
  )
})

test('one rejection is enough, also against the annotation, until its user approves or deletes it', () => {
  const no = by('joe', { decision: 'Rejected', comment: 'not these' })
  const approval = `${digest}@1`
  const { held } = ask([by('jane'), no], {}, { approval })
  assert.deepEqual(held?.decision, { state: 'Rejected', rejectedBy: 'joe', comment: 'not these' })
  assert.equal(isHeld([by('jane')], {}, { approval }), false)
  const later = { ...by('joe'), metadata: { name: 'l', uid: 'l', creationTimestamp: '2026-11-28T11:00:01Z' } }
  assert.equal(isHeld([no, later]), false)
})

test('where changes need approval, as many users must approve a list, and the annotation says nothing of who has', () => {
  const policy = policyOf({ 'fleet.keelson.dev/min-approvals': '2' })
  const approval = digest
  assert.deepEqual(ask([], { policy }, { approval }).held?.decision, { state: 'Waiting', approvedBy: [], missing: 2 })
  const twice = ask([by('jane'), by('jane')], { policy })
  assert.deepEqual(twice.held?.decision, { state: 'Waiting', approvedBy: ['jane'], missing: 1 })
  assert.equal(isHeld([by('jane'), by('joe')], { policy }), false)
  assert.equal(isHeld([by('jane'), by('joe')], { policy, author: 'jane@example.com' }), true)
  assert.equal(isHeld([by('jane')], { author: 'jane' }), false, 'nothing says that it must be another user')
  const own = policyOf({ 'fleet.keelson.dev/author-may-approve': 'true' })
  assert.equal(isHeld([by('jane')], { policy: own, author: 'jane' }), false)
})

test('what the annotation releases uses no Approval, and the other way round', () => {
  const approval = `${digest}@1`
  const memory = { usedApproval: 'old', usedApprovals: ['uid-old'] }
  assert.deepEqual(ask([], {}, { memory, approval }), { ...memory, released: deletable, usedApproval: approval })
  const jane = by('jane')
  assert.deepEqual(ask([jane], {}, { memory }), {
    usedApproval: 'old',
    released: deletable,
    usedApprovals: [jane.metadata.uid],
  })
})
