import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GitReference } from '../../../../lib/foundations/kinds/git-repository.ts'
import {
  defaultGitGates,
  type GitGates,
  pushRulesOf,
} from '../../../../lib/reconcile/image-update-automation/push-rules.ts'

const rules = (reference: GitReference | undefined, gates: Partial<GitGates> = {}, pushBranch = 'auto') =>
  pushRulesOf(pushBranch, reference, { ...defaultGitGates, ...gates })

test('IM-045: a branch that is checked out is continued and never forced, whatever the gates', () => {
  const off = { gitForcePush: false, gitAllBranches: false, gitShallowClone: false }
  const own = { switchesBranch: false, continuesBranch: true, isForced: false }
  for (const gates of [{}, off]) {
    const knowsHistory = gates === off
    assert.deepEqual(rules({ branch: 'main' }, gates, 'main'), { base: 'main', ...own, knowsHistory })
    assert.deepEqual(rules(undefined, gates, 'master'), { base: 'master', ...own, knowsHistory })
  }
})

test('IM-045 IM-063: another branch is continued if it is cloned, which depends on the gate and on the reference', () => {
  const expected: readonly [GitReference | undefined, boolean, boolean][] = [
    [undefined, true, false],
    [{ branch: 'main' }, true, false],
    [{ name: 'refs/heads/main' }, true, false],
    [{ commit: 'c0ffee', branch: 'main' }, true, false],
    [{ name: 'refs/pull/1/head', branch: 'main' }, true, false],
    [{ commit: 'c0ffee' }, true, true],
    [{ name: 'refs/pull/1/head' }, true, true],
    [{ semver: '>=1.0.0' }, true, true],
    [{ semver: '>=1.0.0', branch: 'main' }, true, true],
    [{ tag: 'v1', branch: 'main' }, false, false],
    [{ tag: 'v1', semver: '>=1.0.0' }, false, false],
    [{ name: 'refs/tags/v1', semver: '>=1.0.0' }, false, false],
    [{ name: 'refs/heads/main', tag: 'v1' }, true, false],
    [{ name: 'refs/heads/main', semver: '>=1.0.0' }, true, false],
  ]
  for (const [reference, on, off] of expected) {
    const continues = (gitAllBranches: boolean) => rules(reference, { gitAllBranches }).continuesBranch
    assert.deepEqual([continues(true), continues(false)], [on, off], JSON.stringify(reference))
  }
})

test('IM-063: pushes to another branch are forced, unless the gate is off', () => {
  assert.equal(rules({ branch: 'main' }).isForced, true)
  assert.equal(rules({ branch: 'main' }, { gitForcePush: false }).isForced, false)
})

test('IM-063: a clone knows history if it is not shallow, or is that of a commit', () => {
  const known = (reference: GitReference, gates?: Partial<GitGates>) => rules(reference, gates).knowsHistory
  assert.equal(known({ branch: 'main' }), false)
  assert.equal(known({ branch: 'main' }, { gitShallowClone: false }), true)
  assert.equal(known({ name: 'refs/heads/main' }), false)
  assert.equal(known({ name: 'refs/tags/v1' }), false)
  assert.equal(known({ name: 'refs/pull/1/head' }), true)
  assert.equal(known({ commit: 'c0ffee' }), true)
})
