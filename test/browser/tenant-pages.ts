/** What the console shows to who has roles in some namespaces only. */
import assert from 'node:assert/strict'
import { visit } from '../bed/browser.ts'
import type { chromiumAndFleet } from './scene.ts'
import { accessibilityFaults, screenshot } from './screenshots.ts'

interface Scene extends Pick<Awaited<ReturnType<typeof chromiumAndFleet>>, 'chromium' | 'on'> {
  /** The kubeconfig of the account `viewer` of the namespace blue, which may view that namespace. */
  readonly viewer: string
}

/** Nothing of others is on any page, and no button that would be refused. */
export const seesOnlyTheirOwn = async ({ chromium, on, viewer }: Scene): Promise<void> => {
  const { page, faults } = await visit(chromium, on, { kubeconfig: viewer })
  const changed = page.getByRole('region', { name: 'What changed' })
  await changed.getByRole('link', { name: 'tenant-blue' }).first().waitFor()
  assert.doesNotMatch((await changed.textContent()) ?? '', /web-shop|payments/)
  await page.goto(`${on.console}/units`)
  await page.getByRole('link', { name: 'tenant-blue' }).waitFor()
  assert.equal(await page.locator('tbody tr').count(), 1)
  assert.doesNotMatch((await page.locator('main').textContent()) ?? '', /web-shop|payments/)
  await page.goto(`${on.console}/audit`)
  await page.getByRole('link', { name: 'tenant-blue' }).first().waitFor()
  assert.doesNotMatch((await page.locator('main').textContent()) ?? '', /web-shop|payments|secrets|prod/)
  await page.goto(`${on.console}/units`)
  await page.getByRole('link', { name: 'tenant-blue' }).click()
  await page.getByText('No actions: system:serviceaccount:blue:viewer may not patch').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Reconcile' }).count(), 0)
  for (const address of [`${on.console}/objects/Kustomization/apps/web-shop`, `${on.console}/units?namespace=apps`]) {
    await page.goto(address)
    await page
      .getByRole('alert')
      .or(page.getByText('There are no units here'))
      .or(page.getByText('No unit matches'))
      .first()
      .waitFor()
    assert.doesNotMatch((await page.locator('main').textContent()) ?? '', /Applied revision/)
  }
  assert.deepEqual(faults, [])
}

/** Lists that the API has no permitted scope for: of the only namespace, or of one that is chosen. */
export const seesPermittedNamespaces = async ({ chromium, on, viewer }: Scene): Promise<void> => {
  const { page, faults } = await visit(chromium, on, { kubeconfig: viewer })
  const only = page.getByText('Only of the namespace blue, as you may list these in no other.')
  await page.goto(`${on.console}/runs`)
  await page.getByRole('link', { name: 'tenant-blue' }).first().waitFor()
  await only.waitFor()
  await screenshot(page, 'runs-of-tenant-light')
  assert.deepEqual(await accessibilityFaults(page), [])
  assert.doesNotMatch((await page.locator('main').textContent()) ?? '', /web-shop|payments/)
  for (const place of ['plans', 'rollouts', 'receivers']) {
    await page.goto(`${on.console}/${place}`)
    await only.waitFor()
  }
  await on.kubectl('create', 'namespace', 'green')
  await on.kubectl(
    ...['create', 'rolebinding', 'viewer', '-n', 'green'],
    ...['--clusterrole=view', '--serviceaccount=blue:viewer'],
  )
  await page.goto(`${on.console}/runs?result=Failed`)
  const main = page.getByRole('main')
  await main.getByRole('heading', { name: 'Choose a namespace' }).waitFor()
  assert.deepEqual(await main.getByRole('listitem').allTextContents(), ['blue', 'green'])
  assert.deepEqual(await accessibilityFaults(page), [])
  await screenshot(page, 'choice-light')
  await main.getByRole('link', { name: 'green' }).click()
  await page.waitForURL(`${on.console}/runs?result=Failed&namespace=green`)
  await page.getByText('No runs in this time').waitFor()
  await on.kubectl('delete', 'namespace', 'green', '--wait=false')
  assert.deepEqual(faults, [])
}
