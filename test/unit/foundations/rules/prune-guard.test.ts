import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type GuardInput,
  guardDeletions,
  listDigest,
  massReason,
} from '../../../../lib/foundations/rules/prune-guard.ts'

const ids = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, index) => `apps_cm-${String(index + from).padStart(2, '0')}__ConfigMap`)

const ask = (question: Partial<GuardInput>) =>
  guardDeletions({
    ...{
      deletable: [],
      kept: 0,
      built: 1,
      reasons: new Map(),
      inside: new Map(),
      limits: [{ percent: 50 }],
      memory: {},
    },
    ...question,
  })

test('a mass deletion is everything, or more than half of ten objects or more', () => {
  const cases: readonly [dropped: number, kept: number, built: number, isMass: boolean][] = [
    [1, 0, 0, true],
    [1, 0, 1, false], // renamed
    [9, 0, 9, false],
    [10, 0, 10, true],
    [5, 5, 5, false],
    [6, 4, 4, true],
    [6, 6, 6, false],
    [0, 0, 0, false],
  ]
  for (const [dropped, kept, built, isMass] of cases)
    assert.equal(
      massReason({ dropped, all: dropped + kept, built }, [{ percent: 50 }]) !== undefined,
      isMass,
      `${dropped} ${kept} ${built}`,
    )
})

test('the digest is that of the sorted list', () => {
  assert.equal(listDigest(['b', 'a']), 'sha256:911169ddaaf146aff539f58c26c489af3b892dff0fe283c1c264c65ae5aa59a2')
  assert.notEqual(listDigest(['a', 'b']), listDigest(['ab']))
  assert.notEqual(listDigest(['a']), listDigest(['a', 'b']))
})

test('what waits keeps waiting when the share has fallen, and goes with its approval once', () => {
  const deletable = ids(10)
  const first = ask({ deletable, built: 10 })
  assert.deepEqual(first.held?.ids, deletable)
  assert.deepEqual(first.held?.reasons, ['the build drops 10 of 10 objects'])
  const second = ask({ deletable, kept: 10, built: 10, memory: first })
  assert.deepEqual(second.held, first.held)

  const approval = `${first.held!.digest}@today`
  const released = ask({ deletable, kept: 10, built: 10, memory: second, approval })
  assert.deepEqual(released, { released: deletable, usedApproval: approval })
  // A deletion that failed half-way goes on.
  assert.deepEqual(ask({ deletable: ids(3), kept: 10, memory: released, approval }).released, ids(3))
  // All is gone, all comes back, and is dropped again: the annotation is still there, and counts no more.
  const later = ask({ kept: 10, memory: released, approval })
  assert.deepEqual(later, { usedApproval: approval })
  const again = ask({ deletable, built: 10, memory: later, approval })
  assert.equal(again.held?.digest, first.held!.digest)
  assert.equal(ask({ deletable, built: 10, memory: again, approval: `${approval}2` }).held, undefined)
})

test('an approval of another list lets nothing go', () => {
  const first = ask({ deletable: ids(6), kept: 4, built: 4 })
  const approval = first.held!.digest
  const grown = ask({ deletable: ids(7), kept: 3, built: 3, memory: first, approval })
  assert.equal(grown.held?.ids.length, 7)
  assert.notEqual(grown.held?.digest, approval)
  for (const forged of ['', '*', 'sha256:', `x${grown.held!.digest}`, `@${grown.held!.digest}`])
    assert.equal(ask({ deletable: ids(7), kept: 3, built: 3, memory: grown, approval: forged }).held?.ids.length, 7)
})

test('what carries others waits alone; the rest goes', () => {
  const claim = 'apps_data__PersistentVolumeClaim'
  const reasons = new Map([[claim, 'PersistentVolumeClaim/apps/data: its data would be lost']])
  const { held } = ask({ deletable: [claim, ...ids(2)], kept: 5, built: 5, reasons })
  assert.deepEqual(held?.ids, [claim])
  assert.deepEqual(held?.reasons, ['PersistentVolumeClaim/apps/data: its data would be lost'])
})

test('what is back in the build, or gone, waits no more', () => {
  const first = ask({ deletable: ids(6), kept: 4, built: 4 })
  assert.deepEqual(ask({ deletable: [], kept: 10, built: 10, memory: first }), {})
  assert.deepEqual(ask({ deletable: ids(2), kept: 8, built: 8, memory: first }).held?.ids, ids(2))
})

test('of several limits each counts, and what is exceeded says who has set it', () => {
  const limits = [{ percent: 50 }, { percent: 20, by: 'Cluster apps/prod' }, { objects: 3, by: 'Namespace apps' }]
  const reason = (dropped: number, kept: number) => massReason({ dropped, all: dropped + kept, built: kept }, limits)
  assert.equal(reason(2, 8), undefined)
  assert.equal(reason(3, 7), 'the build drops 3 of 10 objects, more than allowed by Cluster apps/prod')
  assert.equal(reason(3, 6), undefined, 'a share is of ten objects or more')
  assert.equal(reason(4, 5), 'the build drops 4 of 9 objects, more than allowed by Namespace apps')
  assert.equal(reason(6, 4), 'the build drops 6 of 10 objects')
  assert.equal(massReason({ dropped: 1, all: 41, built: 40 }, [{ objects: 0 }]), 'the build drops 1 of 41 objects')
  assert.equal(massReason({ dropped: 40, all: 40, built: 40 }, [{ percent: 100 }]), undefined)
  assert.equal(massReason({ dropped: 40, all: 40, built: 0 }, [{ percent: 100 }]), 'the build is empty')
})

test('what contains an object that waits, waits with it', () => {
  const claim = 'apps_data__PersistentVolumeClaim'
  const [namespace, first, second] = ['_apps__Namespace', ...ids(2)]
  const deletable = [namespace, claim, first!, second!]
  const inside = new Map([[namespace, [claim, first!, second!]]])
  const question = { deletable, kept: 9, built: 9, inside }
  assert.equal(ask(question).held, undefined)
  const { held } = ask({
    ...question,
    reasons: new Map([[claim, 'PersistentVolumeClaim/apps/data: its data would be lost']]),
  })
  assert.deepEqual(held?.ids, [namespace, claim].toSorted())
  assert.deepEqual(held?.reasons, [
    'PersistentVolumeClaim/apps/data: its data would be lost',
    'Namespace/apps: objects in it wait',
  ])
  const approvedIds = new Set([namespace])
  assert.deepEqual(ask({ ...question, approvedIds, reasons: new Map([[claim, 'its data']]) }).held?.ids, held?.ids)
})

test('what an approved plan lists goes without another approval, and nothing else', () => {
  const deletable = ids(10)
  const some = new Set(deletable.slice(0, 3))
  const after = ask({ deletable, built: 10, approvedIds: some })
  assert.deepEqual([after.released, after.held?.ids], [[...some], deletable.slice(3)])
  assert.deepEqual(ask({ deletable, built: 10, approvedIds: new Set(deletable) }), { released: deletable })
})
