import type { BrowserContext, Page } from 'playwright-core'
import type { DeployedHub } from './deployed-hub.ts'

/** As jane, through the forms of the issuer, which leads back to the address of the function: the bed serves that elsewhere. */
export const logInAtIssuer = async (
  { url, domainName, issuer }: DeployedHub,
  context: BrowserContext,
): Promise<Page> => {
  const page = await context.newPage()
  await page.goto(url)
  await page.getByRole('link', { name: `Log in at ${new URL(issuer.issuer).host}` }).click({ timeout: 120_000 })
  await page.getByPlaceholder('Enter any login').fill('jane')
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  const callback = page.waitForRequest(`https://${domainName}/console/callback?*`)
  await page.getByRole('button', { name: 'Continue' }).click()
  const { pathname, search } = new URL((await callback).url())
  await page.close()
  const back = await context.newPage()
  await back.goto(url + pathname + search)
  return back
}
