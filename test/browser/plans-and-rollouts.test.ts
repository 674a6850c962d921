/** Plans, decisions about them, and rollouts, in a real Chromium before a real hub with a real cluster. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Approval } from '../../lib/foundations/kinds/approval.ts'
import type { Plan } from '../../lib/foundations/kinds/plan.ts'
import type { RolloutRun } from '../../lib/foundations/kinds/rollout-run.ts'
import { loaded, visit } from '../bed/browser.ts'
import { eventually } from '../bed/eventually.ts'
import { chromiumAndChanges } from './changes-scene.ts'
import { script, tenant } from './scene.ts'
import { accessibilityFaults, looks, overflow, screenshot } from './screenshots.ts'

const { chromium, on, target } = await chromiumAndChanges()

const viewer = await tenant(on, { namespace: 'apps', role: 'view' })
/** Who may decide, and change nothing. */
const approver = await tenant(on, { namespace: 'apps', role: 'keelson-approver' })
await on.kubectl(
  ...['create', 'rolebinding', 'approvers-see', '-n', 'apps'],
  ...['--clusterrole=view', '--serviceaccount=apps:keelson-approverer'],
)

const rolloutPage = `${on.console}/objects/Rollout/apps/shop`
const plans = async (): Promise<readonly Plan[]> =>
  (await on.get<{ items: readonly Plan[] }>('plans', '-n', 'apps')).items
const waitingPlan = async (): Promise<Plan> => {
  const found = await eventually(async () => {
    const one = (await plans()).find(({ status }) => status?.phase === 'Waiting')
    assert.ok(one)
    return one
  })
  return found
}
const reconcile = (name: string) =>
  on.kubectl(
    ...['annotate', '--overwrite', `kustomization/${name}`, '-n', 'apps'],
    `reconcile.fluxcd.io/requestedAt=${Date.now()}`,
  )
/** Once drift is corrected: the plan of the approved state, as it stays. */
const settledPlan = async (): Promise<Plan> => {
  await reconcile('payments-api')
  return eventually(async () => {
    const one = await waitingPlan()
    const fields = one.changes?.flatMap(({ fields = [] }) => fields)
    assert.equal(fields?.find(({ path }) => path === 'spec.replicas')?.before, '2')
    return one
  })
}
const planPage = ({ metadata }: Plan): string => `${on.console}/objects/Plan/apps/${metadata.name}`
const currentRun = (name: string): Promise<RolloutRun> => on.get<RolloutRun>('rolloutrun', name, '-n', 'apps')

test('UI-03 plans that wait are one key away: each with its changes, and deletions that are held above them', async () => {
  const { page, faults } = await visit(chromium, on)
  await loaded(page)
  await page.keyboard.press('g')
  await page.keyboard.press('p')
  const list = page.getByRole('region', { name: 'Plans' })
  const row = list.getByRole('row').filter({ hasText: 'payments-api' })
  assert.match((await row.textContent()) ?? '', /Waiting[\s\S]*\+1 ~2 -1[\s\S]*1 missing/)
  const held = page.getByRole('region', { name: 'Deletions that wait' })
  assert.match((await held.textContent()) ?? '', /Held[\s\S]*stock[\s\S]*11 deletions wait for approval/)
  await row.getByRole('link', { name: 'payments-api' }).click()
  await page.getByRole('heading', { name: 'Plan of payments-api' }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'Applied' }).click()
  await page.waitForURL(`${on.console}/plans?phase=Applied`)
  await page.getByText('No plan is applied').waitFor()
  assert.deepEqual(faults, [])
})

test('UI-03 a plan shows what would change, by object and by file: each object has an address', async () => {
  const { page, faults } = await visit(chromium, on)
  const plan = await waitingPlan()
  await page.goto(planPage(plan))
  await page.getByText('Waits for 1 approval').waitFor()
  assert.match((await page.locator('.head').textContent()) ?? '', /1 created, 2 changed, 1 deleted/)
  const objects = page.getByRole('navigation', { name: 'Objects' })
  assert.deepEqual(await objects.getByRole('heading').allTextContents(), ['Deleted 1', 'Changed 2', 'Created 1'])
  await objects.getByRole('link', { name: 'Deployment default/api' }).click()
  const changes = page.getByRole('region', { name: 'Changes' })
  await changes.getByText('+ ghcr.io/acme/api:1.8.0').waitFor()
  await changes.getByText('− ghcr.io/acme/api:1.7.4').waitFor()
  await changes
    .getByText(/payments\/deployment\.yaml:\d+/)
    .first()
    .waitFor()
  const address = page.url()
  assert.match(address, /object=apps%2Fv1%2FDeployment%2Fdefault%2Fapi/)
  await page.getByRole('link', { name: 'By file' }).click()
  await objects.getByRole('heading', { name: 'payments/settings.yaml' }).waitFor()
  await changes.getByText('+ ghcr.io/acme/api:1.8.0').waitFor()
  await objects.getByRole('link', { name: 'ConfigMap default/api-env' }).click()
  await changes.getByText(script).waitFor()
  assert.equal(await page.evaluate('document.body.dataset.hit'), undefined)
  await page.goto(address)
  await changes.getByText('+ ghcr.io/acme/api:1.8.0').waitFor()
  assert.deepEqual(faults, [])
})

test('UI-10 plans and rollouts: axe finds nothing, and nothing is wider than the window: light, dark, on a phone, zoomed', async () => {
  await eventually(async () => {
    const { step, stages, waitsFor } = (await currentRun('shop-1')).status ?? {}
    assert.deepEqual([step, stages?.[0]?.ready, waitsFor], ['After', 1, ['gate go: waits for an approval']])
  })
  const plan = await waitingPlan()
  const pages = {
    plans: `${on.console}/plans`,
    plan: `${planPage(plan)}?object=${encodeURIComponent('apps/v1/Deployment/default/api')}`,
    'plans-of-unit': `${on.console}/objects/Kustomization/apps/payments-api/plans`,
    'held-list': `${on.console}/objects/Kustomization/apps/stock`,
    rollouts: `${on.console}/rollouts`,
    rollout: rolloutPage,
  }
  for (const { name: look, ...options } of looks) {
    const { context, page } = await visit(chromium, on, options)
    for (const [name, address] of Object.entries(pages)) {
      await page.goto(address)
      await loaded(page)
      assert.deepEqual(await accessibilityFaults(page), [], `${name}, ${look}`)
      assert.equal(await overflow(page), 0, `${name}, ${look}`)
      await screenshot(page, `${name}-${look}`)
    }
    await context.close()
  }
})

test('UI-06 who may not decide sees no button, and is told which right is missing', async () => {
  const { page } = await visit(chromium, on, { kubeconfig: viewer })
  await page.goto(planPage(await waitingPlan()))
  await page.getByText('No decision: system:serviceaccount:apps:viewer may not approve plans').waitFor()
  await page.goto(rolloutPage)
  await page.getByText('No orders: system:serviceaccount:apps:viewer may not patch rolloutruns').waitFor()
  await page.goto(`${on.console}/objects/Kustomization/apps/stock`)
  await page.getByText('No decision about the deletions: system:serviceaccount:apps:viewer may not approve').waitFor()
  for (const name of ['Approve…', 'Reject…', 'Pause…', 'Rollback…', 'Approve stage…', 'Allow deletions…', 'Suspend…'])
    assert.equal(await page.getByRole('button', { name }).count(), 0, name)
})

test('UI-06 a plan is stale as soon as a planned field is another one on the cluster: shown without a reload', async () => {
  const plan = await waitingPlan()
  const { page, faults } = await visit(chromium, on)
  await page.goto(planPage(plan))
  await page.getByRole('button', { name: 'Approve…' }).waitFor()
  await target.kubectl('scale', 'deployment/api', '-n', 'default', '--replicas=5')
  await reconcile('payments-api')
  await page.getByText('Stale: the change is another one by now').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Approve…' }).count(), 0)
  assert.notEqual((await waitingPlan()).metadata.name, plan.metadata.name)
  assert.deepEqual(faults, [])
})

test('UI-06 rejects a plan with a comment, and approves it after all: it is applied, and both decisions have names', async () => {
  const plan = await settledPlan()
  const theirs = await visit(chromium, on, { kubeconfig: approver })
  await theirs.page.goto(planPage(plan))
  await theirs.page.getByRole('button', { name: 'Reject…' }).click()
  const dialog = theirs.page.getByRole('dialog')
  assert.match((await dialog.textContent()) ?? '', /Nothing of it is applied: 1 created, 2 changed, 1 deleted/)
  await dialog.getByLabel('Comment, for the record').fill('not on a Friday')
  await dialog.getByRole('button', { name: 'Reject' }).click()
  await theirs.page.getByText('Rejected by system:serviceaccount:apps:keelson-approverer').waitFor()
  await theirs.page.getByRole('region', { name: 'Decision', exact: true }).getByText('not on a Friday').waitFor()
  // Within a second, a rejection counts as the later decision.
  const rejectedAt = Date.now()
  await eventually(() => assert.ok(Date.now() - rejectedAt > 1_000))
  await theirs.page.getByRole('button', { name: 'Approve…' }).click()
  await theirs.page.getByLabel('Comment, for the record').fill('CHG-1234')
  await screenshot(theirs.page, 'plan-dialog')
  await dialog.getByRole('button', { name: 'Approve' }).click()
  await theirs.page.getByText('Applied as planned').waitFor()
  const decisions = theirs.page.getByRole('region', { name: 'Decisions' }).getByRole('listitem')
  assert.deepEqual(await decisions.count(), 2)
  const image = await target.kubectl('get', 'deployment', 'api', '-n', 'default', '-o', 'jsonpath={.spec.replicas}')
  assert.equal(image, '3')
  assert.deepEqual(theirs.faults, [])
})

test('UI-06 who may approve, and change nothing else, lets held deletions go: exactly those, with their name', async () => {
  const { page, faults } = await visit(chromium, on, { kubeconfig: approver })
  await page.goto(`${on.console}/plans`)
  await page.goto(`${on.console}/plans?namespace=apps`)
  await page.getByRole('region', { name: 'Deletions that wait' }).getByRole('link', { name: 'Review' }).click()
  await page.getByRole('button', { name: 'Allow deletions…' }).click()
  const dialog = page.getByRole('dialog')
  assert.match((await dialog.textContent()) ?? '', /11 deletions wait for approval[\s\S]*ConfigMap\/default\/item-11/)
  assert.doesNotMatch((await dialog.textContent()) ?? '', /keelson allow-prune/)
  await dialog.getByLabel('Comment, for the record').fill('the stock has moved')
  await dialog.getByRole('button', { name: 'Delete these' }).click()
  await page.getByRole('region', { name: 'Why' }).getByText('Ready for').waitFor()
  const { items } = await on.get<{ items: readonly Approval[] }>('approvals', '-n', 'apps')
  const { spec } = items.find(({ spec }) => spec.subject.name === 'stock')!
  assert.deepEqual(
    [spec.approver, spec.comment, spec.decision],
    ['system:serviceaccount:apps:keelson-approverer', 'the stock has moved', 'Approved'],
  )
  const names = (await target.kubectl('get', 'configmaps', '-n', 'default', '-o', 'name')).split('\n')
  assert.deepEqual(
    names.filter(name => name.includes('item-')),
    ['configmap/item-0'],
  )
  assert.deepEqual(faults, [])
})

test('UI-06 a rollout is paused for a reason, resumed, its stage approved, and then each cluster of the next one: shown without a reload, until all clusters have it', async () => {
  const { page, faults } = await visit(chromium, on)
  await page.goto(`${on.console}/rollouts`)
  await page.getByRole('link', { name: 'shop', exact: true }).click()
  await page.waitForURL(rolloutPage)
  const state = page.getByRole('region', { name: 'State' })
  await state.getByText('Gate go: waits for an approval').waitFor()
  const stages = page.getByRole('region', { name: 'Stages' })
  assert.match(
    (await stages.textContent()) ?? '',
    /canaryGates after it[\s\S]*1 of 1 cluster ready[\s\S]*everywhereNot yet/,
  )
  await page.getByRole('button', { name: 'Pause…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
  await page.getByLabel('Reason, for the record').fill('errors in Paris')
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
  await state.getByText('Paused in stage canary').waitFor()
  await state.getByText('paused as requested (kubernetes-admin: errors in Paris)').waitFor()
  await screenshot(page, 'rollout-paused')
  assert.equal(await page.getByRole('button', { name: 'Approve stage…' }).count(), 0)
  await page.getByRole('button', { name: 'Resume…' }).click()
  await page.getByLabel('Reason, for the record').fill('it was the network')
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
  const theirs = await visit(chromium, on, { kubeconfig: approver })
  await theirs.page.goto(rolloutPage)
  await theirs.page.getByText('No orders: system:serviceaccount:apps:keelson-approverer may not patch').waitFor()
  await theirs.page.getByRole('button', { name: 'Approve stage…' }).click()
  await theirs.page.getByLabel('Comment, for the record').fill('looks well')
  await theirs.page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('region', { name: 'Decisions' }).getByText('looks well').waitFor()
  // The clusters of the next stage wait one after the other, each for an approval of its own.
  const atGates = theirs.page.getByRole('region', { name: 'Clusters at gates' })
  for (const [at, cluster] of ['apps/paris', 'apps/rome'].entries()) {
    const row = page
      .getByRole('region', { name: 'Clusters at gates' })
      .getByRole('listitem')
      .filter({ hasText: cluster })
    await row.getByText('drained: waits for an approval').waitFor()
    if (at === 0) {
      assert.deepEqual([await accessibilityFaults(page), await overflow(page)], [[], 0])
      await screenshot(page, 'rollout-clusters-at-gates')
    }
    const theirRow = atGates.getByRole('listitem').filter({ hasText: cluster })
    await theirRow.getByRole('button', { name: 'Approve cluster…' }).click()
    const dialog = theirs.page.getByRole('dialog')
    assert.match((await dialog.textContent()) ?? '', new RegExp(`Approve main@\\w{7} on cluster ${cluster}`))
    await dialog.getByLabel('Comment, for the record').fill(`${cluster} is drained`)
    await dialog.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('region', { name: 'Decisions' }).getByText(`${cluster} is drained`).waitFor()
  }
  // The run of the revision that was pushed meanwhile may begin before the page has shown that this one is over.
  const earlier = page.getByRole('region', { name: 'Earlier runs' }).getByText('shop-1:')
  await state
    .getByText(/^All stages run /)
    .or(earlier)
    .first()
    .waitFor()
  assert.equal((await currentRun('shop-1')).status?.phase, 'Succeeded')
  assert.deepEqual([...faults, ...theirs.faults], [])
})

test('UI-06 a rollback says what goes back to where, and brings all units there; a unit leads to the rollout that holds it', async () => {
  const { page, faults } = await visit(chromium, on)
  await page.goto(rolloutPage)
  // The revision that was pushed while the first run was under way.
  await page.getByText('Gate go: waits for an approval').waitFor()
  await page.getByRole('region', { name: 'Earlier runs' }).getByText('shop-1:').waitFor()
  await page.getByRole('button', { name: 'Rollback…' }).click()
  const dialog = page.getByRole('dialog')
  assert.match(
    (await dialog.textContent()) ?? '',
    /All 3 units go back to main@\w{7}, at once[\s\S]*shop-1, the last run/,
  )
  await dialog.getByLabel('Reason, for the record').fill('it is slow')
  await dialog.getByRole('button', { name: 'Rollback' }).click()
  await page.getByRole('region', { name: 'State' }).getByText('all units are back').first().waitFor()
  await page.getByRole('region', { name: 'Units' }).getByRole('link', { name: 'shop-canary' }).click()
  await page.getByRole('link', { name: 'RolloutRun apps/shop-1' }).click()
  await page.waitForURL(rolloutPage)
  assert.deepEqual(faults, [])
})
