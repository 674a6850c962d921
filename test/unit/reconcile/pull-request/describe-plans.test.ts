import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OpenChange } from '../../../../lib/foundations/fleet/head-plan.ts'
import { describePlans, summaryOf } from '../../../../lib/reconcile/pull-request/describe-plans.ts'
import type { PlannedUnit } from '../../../../lib/reconcile/pull-request/plan-units.ts'

const change = (more: Partial<OpenChange> = {}): OpenChange => ({
  ...{ action: 'configured', kind: 'ConfigMap', name: 'shop/a', origin: 'shop/a.yaml', moreFields: 0 },
  fields: [{ path: 'data.value', before: '1', after: '2' }],
  ...more,
})

const unit = (name: string, changes: readonly OpenChange[] = [change()], cluster = name): PlannedUnit => ({
  ...{ kind: 'Kustomization', namespace: 'apps', name },
  plan: {
    ...{ type: 'planned', changes, refused: [], policies: [], counts: { configured: changes.length } },
    cluster: { kind: 'Secret', namespace: 'apps', name: cluster },
  },
})

const failed = (name: string, open: string): PlannedUnit => ({
  ...{ kind: 'Kustomization', namespace: 'apps', name },
  plan: { type: 'failed', message: 'internal', open },
})

const plans = (reached: readonly PlannedUnit[], more = {}) => ({
  ...{ commit: 'a'.repeat(40), base: 'main', reached, left: 0, unfetched: [] },
  ...more,
})

const form = { marker: '[keelson]: # (mark)', maxLength: 65_000, folds: true }

test('units with the same diff share it; each has its row', () => {
  assert.equal(
    describePlans(plans([unit('paris'), unit('rome'), unit('oslo', [change({ fields: [], moreFields: 2 })])]), form),
    `[keelson]: # (mark)

### Plan of \`aaaaaaaaaaaa\` for \`main\`: 3 units: ~3

| Unit | Cluster | Changes |
| --- | --- | --- |
| \`Kustomization/apps/paris\` | \`Secret/apps/paris\` | \`~1\` |
| \`Kustomization/apps/rome\` | \`Secret/apps/rome\` | \`~1\` |
| \`Kustomization/apps/oslo\` | \`Secret/apps/oslo\` | \`~1\` |

<details><summary>Kustomization/apps/paris on Secret/apps/paris, Kustomization/apps/rome on Secret/apps/rome</summary>

\`\`\`diff
! ConfigMap shop/a configured (shop/a.yaml)
-   data.value: 1
+   data.value: 2
\`\`\`

</details>

<details><summary>Kustomization/apps/oslo on Secret/apps/oslo</summary>

\`\`\`diff
! ConfigMap shop/a configured (shop/a.yaml)
    and 2 more fields
\`\`\`

</details>

Nothing was applied. Objects and values that are not in the repository, and values of Secrets, are not shown.`,
  )
})

test('a unit that is not planned has a reason, and fails nothing', () => {
  const skipped: PlannedUnit = { ...unit('b'), plan: { type: 'skipped', open: 'its Cluster is suspended' } }
  const text = describePlans(plans([unit('a'), skipped]), form)
  assert.match(text, /\| `Kustomization\/apps\/b` \| {2}\| not planned: `its Cluster is suspended` \|/)
  assert.equal(summaryOf(plans([unit('a'), skipped])), '2 units: ~1, 1 not planned')
  assert.equal(summaryOf(plans([skipped])), '1 unit, 1 not planned')
})

test('whatever is in names and values, it stays inside its code: no markup, no mention, no second comment', () => {
  const hostile = '```\n\n</details> @everyone <img src=x> | `code` [keelson]: # (other)'
  const text = describePlans(
    plans([
      unit('a', [change({ name: `shop/${hostile}`, fields: [{ path: hostile, before: hostile, after: hostile }] })]),
      failed('b', hostile),
    ]),
    form,
  )
  const [fence] = text.match(/^`{4,}diff$/m) ?? []
  assert.ok(fence, 'the fence is longer than any in the diff')
  const outside = text
    .split(new RegExp(`^${'`'.repeat(4)}(?:diff)?$`, 'm'))
    .filter((_, at) => at % 2 === 0)
    .join('')
  assert.doesNotMatch(outside.replaceAll(/`[^`\n]*`/g, ''), /@everyone|<img|keelson\]: # \(other/)
  assert.equal(text.match(/^\[keelson\]/gm)?.length, 1)
})

test('a comment never exceeds the limit of its forge, and says what is missing', () => {
  const many = Array.from({ length: 300 }, (_, i) =>
    unit(
      `unit-${i}`,
      Array.from({ length: 20 }, (_, j) =>
        change({ name: `shop/${i}-${j}`, fields: [{ path: 'data.value', after: 'x'.repeat(200) }] }),
      ),
    ),
  )
  for (const maxLength of [3_000, 30_000, 65_000])
    for (const folds of [true, false]) {
      const text = describePlans(plans(many, { left: 7 }), { ...form, maxLength, folds })
      assert.ok(text.length <= maxLength, `${text.length} of ${maxLength}`)
      assert.match(text, /\d+ more diffs did not fit into this comment/)
      assert.match(text, /7 units of the sources could not be planned within the limits/)
    }
})

test('the summary fits into the status of a commit', () => {
  assert.equal(summaryOf(plans([])), 'No unit changes')
  assert.equal(summaryOf(plans([unit('a'), failed('b', 'x')])), '2 units: ~1, 1 failed')
  assert.equal(summaryOf(plans([failed('b', 'x')])), '1 unit, 1 failed')
  assert.equal(summaryOf(plans([unit('a')], { left: 3 })), '1 unit: ~1, 3 not planned')
  const unfetched = [{ source: 'app', reason: 'VerificationError'.repeat(20) }]
  assert.ok(summaryOf(plans([], { unfetched })).length <= 140)
  assert.match(describePlans(plans([], { unfetched }), form), /- `app` could not fetch the head: `VerificationError/)
})

test('what policies say is in the row and above the diff; a message that is not open is not shown', () => {
  const judged = unit('oslo')
  const finding = { policy: 'pinned', action: 'Deny', message: 'ConfigMap shop/a: is 2', isOpen: true } as const
  const policies = [
    finding,
    { ...finding, policy: 'few', action: 'RequireApproval', message: 'live', isOpen: false },
  ] as const
  const denied = { ...judged, plan: { ...judged.plan, policies } } as PlannedUnit
  const text = describePlans(plans([denied, unit('rome')]), form)
  assert.match(text, /\| `Kustomization\/apps\/oslo` \| `Secret\/apps\/oslo` \| `~1`, a policy denies it \|/)
  assert.ok(
    text.includes(`# ChangePolicy pinned denies the change: ConfigMap shop/a: is 2
# ChangePolicy few requires an approval: the PullRequest on the hub says why
! ConfigMap shop/a configured`),
    text,
  )
  assert.doesNotMatch(text, /live/)
  assert.equal(summaryOf(plans([denied, unit('rome')])), '2 units: ~2, 1 failed')
})
