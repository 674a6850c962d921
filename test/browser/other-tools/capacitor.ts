import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import { startCapacitor } from '../../bed/capacitor.ts'
import { eventually } from '../../bed/eventually.ts'
import { type Unit, unitAt, type Walk } from './scene.ts'

/** A walk through Capacitor in a browser: lists, a Kustomization with its diff, reconcile, suspend and resume, and a HelmRelease. */
export const walkThroughCapacitor = async (chromium: Browser, walk: Walk & Effects): Promise<void> => {
  const { kubeconfig, unit } = walk
  await using capacitor = await startCapacitor(kubeconfig)
  const page = await openPage(chromium, capacitor.origin)
  const becomes = (is: (unit: Unit) => boolean) => eventually(async () => is(await unitAt(walk)))
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

  await chooseView(page, 'FluxCD/Kustomizations')
  await page.getByRole('row', { name: new RegExp(`^${unit} .*Ready`) }).waitFor()
  await chooseView(page, 'FluxCD/HelmReleases')
  await page.getByRole('row', { name: /^web .*Ready/ }).waitFor()

  await page.goto(`${capacitor.origin}/#/kustomization/flux-system/site`)
  await page.getByRole('heading', { name: 'flux-system/site' }).waitFor()
  await press('Diff')
  const difference = page.locator('.diff-file-section', { hasText: 'HelmRelease/flux-system/web' })
  await difference.getByText('+1').waitFor()
  assert.match((await difference.textContent()) ?? '', /timeout: 6m[\s\S]*timeout: 5m/)
  await press('×')

  await page.goto(`${capacitor.origin}/#/kustomization/flux-system/${unit}`)
  await page.getByRole('heading', { name: `flux-system/${unit}` }).waitFor()
  const badges = page.locator('header .status-badges')
  await badges.getByText('Source: Ready').waitFor()
  const { lastAppliedRevision } = (await unitAt(walk)).status
  await page.getByText(`Applied revision: ${lastAppliedRevision}`).first().waitFor()
  await press('Reconcile')
  await becomes(({ metadata, status }) => {
    const requested = metadata.annotations?.['reconcile.fluxcd.io/requestedAt']
    return requested !== undefined && requested === status.lastHandledReconcileAt
  })
  await page.getByText('Invalid Date').waitFor({ state: 'detached' })

  await press('⏸ Suspend')
  await becomes(({ spec }) => spec.suspend === true)
  await badges.getByText('Suspended').waitFor()
  await walk.whileSuspended?.()
  await press('▶ Resume')
  await becomes(({ spec }) => !spec.suspend)
  await badges.getByText('Suspended').waitFor({ state: 'detached' })
  await walk.whenResumed?.()

  await page.goto(`${capacitor.origin}/#/helmrelease/flux-system/web`)
  await page
    .getByText(/Helm (install|upgrade) succeeded for release flux-system\/web\.v\d/)
    .first()
    .waitFor()
  await page.context().close()
}

/** What the actions change elsewhere. */
interface Effects {
  whileSuspended?(): Promise<void>
  whenResumed?(): Promise<void>
}

/** Without what the page fetches from other origins: a style, a font, whether there is a new version. */
const openPage = async (chromium: Browser, origin: string): Promise<Page> => {
  const context = await chromium.newContext({ viewport: { width: 1500, height: 1000 } })
  context.setDefaultTimeout(120_000)
  await context.route(
    ({ origin: other }) => other !== origin,
    route => route.abort(),
  )
  const page = await context.newPage()
  await page.goto(origin)
  return page
}

const chooseView = async (page: Page, name: string): Promise<void> => {
  await page.getByTitle('Select view').click()
  await page.getByRole('button', { name }).click()
}
