import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Approval } from '../../../../lib/foundations/kinds/approval.ts'
import { approvalPolicyOf, approvalState, isSameUser } from '../../../../lib/foundations/rules/approvals.ts'

const now = Date.parse('2026-11-28T12:00:00Z')
const digest = `sha256:${'a'.repeat(64)}`
const subject = { kind: 'Plan', name: 'p' } as const
const needs = { subject, digest, count: 1, authorMayApprove: false }

const by = (approver: string | undefined, spec: Partial<Approval['spec']> = {}, at = 1): Approval => ({
  apiVersion: 'fleet.keelson.dev/v1alpha1',
  kind: 'Approval',
  metadata: { name: 'a', namespace: 'apps', creationTimestamp: `2026-11-28T11:00:0${at}Z` },
  spec: { subject, digest, decision: 'Approved', ...(approver !== undefined && { approver }), ...spec },
})
const stateOf = (...approvals: readonly Approval[]) => approvalState(approvals, needs, now).state

test('an approval counts for exactly its subject and digest, until it expires, and if the server has signed it', () => {
  assert.equal(stateOf(), 'Waiting')
  assert.equal(stateOf(by('jane')), 'Approved')
  assert.equal(stateOf(by('jane', { digest: `sha256:${'b'.repeat(64)}` })), 'Waiting')
  assert.equal(stateOf(by('jane', { subject: { kind: 'Plan', name: 'q' } })), 'Waiting')
  assert.equal(stateOf(by('jane', { subject: { ...subject, stage: 'one' } })), 'Waiting')
  assert.equal(stateOf(by('jane', { expiresAt: '2026-11-28T12:00:00Z' })), 'Waiting')
  assert.equal(stateOf(by('jane', { expiresAt: '2026-11-28T12:00:01Z' })), 'Approved')
  assert.equal(stateOf(by(undefined)), 'Waiting')
})

test('one rejection is enough, and of each user the last decision counts', () => {
  const rejected = { decision: 'Rejected', comment: 'no' } as const
  assert.deepEqual(approvalState([by('jane'), by('joe', rejected)], needs, now), {
    state: 'Rejected',
    rejectedBy: 'joe',
    comment: 'no',
  })
  assert.equal(stateOf(by('joe', rejected, 1), by('joe', {}, 2)), 'Approved')
  assert.equal(stateOf(by('joe', {}, 1), by('joe', rejected, 2)), 'Rejected')
  assert.equal(stateOf(by('joe', rejected), by('joe')), 'Rejected', 'of two decisions in one second the rejection')
})

test('as many users as needed must approve, the author not among them unless that is allowed', () => {
  const two = { ...needs, count: 2, author: 'Receiver apps/github for jane' }
  assert.deepEqual(approvalState([by('oidc:jane@example.com'), by('joe'), by('joe')], two, now), {
    state: 'Waiting',
    approvedBy: ['joe'],
    missing: 1,
  })
  const allowed = approvalState([by('oidc:jane@example.com'), by('joe')], { ...two, authorMayApprove: true }, now)
  assert.equal(allowed.state, 'Approved')
  const rejecting = approvalState([by('jane', { decision: 'Rejected' })], two, now)
  assert.equal(rejecting.state, 'Rejected', 'an author may stop their own change')
})

test('users are the same if the names that a forge and the hub use have a part in common', () => {
  assert.ok(isSameUser('jane', 'Jane'))
  assert.ok(isSameUser('oidc:jane@example.com', 'Receiver apps/github for jane'))
  assert.ok(isSameUser('arn:aws:sts::1:assumed-role/admin/jane', 'jane@example.com'))
  assert.ok(isSameUser('oidc:jane@example.com', 'Jane Doe <jane@example.com>'))
  assert.ok(!isSameUser('janet', 'jane'))
  assert.ok(!isSameUser('jane', undefined))
})

test('the strictest of several objects counts, and a mode that is not known is the strictest', () => {
  const of = (owner: string, annotations: Readonly<Record<string, string>>) => ({
    owner,
    object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x', annotations } },
  })
  const name = (key: string) => `fleet.keelson.dev/${key}`
  assert.equal(approvalPolicyOf([of('a', {})]), undefined)
  const policy = approvalPolicyOf([
    of('Namespace a', { [name('approval')]: 'OnDelete', [name('author-may-approve')]: 'true' }),
    of('Cluster a/b', { [name('approval')]: 'Require', [name('min-approvals')]: '2', [name('plan-expiry')]: '1h' }),
  ])!
  assert.deepEqual([...policy.modes], ['OnDelete', 'Required'])
  assert.deepEqual(
    [policy.count, policy.authorMayApprove, policy.expiryMs, policy.requiredBy],
    [2, false, 3_600_000, 'Namespace a and Cluster a/b'],
  )
  const unreadable = { [name('approval')]: 'Required', [name('min-approvals')]: 'two' }
  assert.equal(approvalPolicyOf([of('a', unreadable)])!.count, 99)
})
