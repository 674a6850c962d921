/** Login at a real OpenID Connect provider, in a real Chromium: and what somebody else's page or a forged answer can't do. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { browser, bundledConsole } from '../bed/browser.ts'
import { hub } from '../bed/hub.ts'
import { oidcProvider } from '../bed/oidc-provider.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'

await bundledConsole()
const { path: folder } = endWithTest(disposableDir())
const provider = await oidcProvider({ users: { jane: { groups: ['devs'], email: 'jane@example.com' } } })
const file = join(folder, 'authentication.yaml')
writeFileSync(
  file,
  JSON.stringify({
    ...{ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration' },
    jwt: [
      {
        issuer: { url: provider.issuer, certificateAuthority: provider.ca, audiences: ['keelson'] },
        claimMappings: { username: { claim: 'sub', prefix: 'oidc:' }, groups: { claim: 'groups', prefix: 'oidc:' } },
      },
    ],
  }),
)
const [chromium, on] = await Promise.all([browser(), hub({ flags: ['--authentication-config', file] })])
await on.kubectl('create', 'namespace', 'apps')
await on.kubectl('create', 'rolebinding', 'devs', '-n', 'apps', '--clusterrole=flux-view', '--group=oidc:devs')

const place = new URL(provider.issuer).host
const contextOf = (): Promise<BrowserContext> => chromium.newContext({ ignoreHTTPSErrors: true })

/** The console's cookies: the issuer's are in the same jar, as cookies know no ports. */
const cookiesOf = async (context: BrowserContext) =>
  (await context.cookies(on.console)).filter(({ name }) => name.startsWith('keelson'))

/** To the issuer, and through its forms. */
const logIn = async (page: Page): Promise<void> => {
  await page.goto(on.console)
  await page.getByRole('link', { name: `Log in at ${place}` }).click()
  await page.getByPlaceholder('Enter any login').fill('jane')
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

test('UI-02 a person logs in at the issuer, and acts under their own name and groups', async () => {
  const context = await contextOf()
  const page = await context.newPage()
  const addresses: string[] = []
  page.on('request', request => addresses.push(request.url()))
  await logIn(page)
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  assert.equal(page.url(), `${on.console}/`)
  await page.locator('.me').getByText('oidc:jane').waitFor()
  const cookies = await cookiesOf(context)
  assert.deepEqual(
    cookies.map(({ name, httpOnly, sameSite }) => ({ name, httpOnly, sameSite })),
    [{ name: 'keelson-session', httpOnly: true, sameSite: 'Strict' }],
    'the cookie of the login is gone',
  )
  const stored = await page.evaluate<number>('localStorage.length + sessionStorage.length + document.cookie.length')
  assert.equal(stored, 0, 'no token where a script could read it')
  assert.ok(!addresses.some(address => /eyJ/.test(address)), 'no token in an address')
  await page.reload()
  await page.locator('.me').getByText('oidc:jane').waitFor()
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByRole('link', { name: `Log in at ${place}` }).waitFor()
  assert.deepEqual(await cookiesOf(context), [])
})

test('UI-02 a callback that nobody has begun, or somebody else, logs nobody in', async () => {
  const [victim, attacker] = [await contextOf(), await contextOf()]
  const theirs = await attacker.newPage()
  const callback = theirs.waitForRequest(`${on.console}/console/callback?*`)
  await logIn(theirs)
  const address = (await callback).url()
  const page = await victim.newPage()
  await page.goto(address)
  await page.getByRole('alert').getByText('was begun in another browser').waitFor()
  assert.deepEqual(await cookiesOf(victim), [])
  await page.goto(`${on.console}/console/login?issuer=${encodeURIComponent(provider.issuer)}`)
  await page.goto(address)
  await page.getByRole('alert').getByText('the issuer refused the login').waitFor()
  assert.deepEqual(await cookiesOf(victim), [], 'the state of another login')
})

test('UI-02 only issuers of the configuration, and no text of a link', async () => {
  const page = await (await contextOf()).newPage()
  await page.goto(`${on.console}/console/login?issuer=https://evil.example`)
  await page.getByRole('alert').getByText('this hub does not accept logins of that issuer').waitFor()
  await page.goto(`${on.console}/login?failure=${encodeURIComponent('call 0800-EVIL')}`)
  await page.getByRole('link', { name: `Log in at ${place}` }).waitFor()
  assert.equal(await page.getByRole('alert').count(), 0)
})

test('UI-02 another page can neither use the session nor frame the console', async () => {
  const context = await contextOf()
  const page = await context.newPage()
  await logIn(page)
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  const foreign = await context.newPage()
  await foreign.route('http://127.0.0.1:45999/**', route =>
    route.fulfill({ contentType: 'text/html', body: `<iframe src="${on.console}/"></iframe>` }),
  )
  await foreign.goto('http://127.0.0.1:45999/')
  const outcome = await foreign.evaluate<string>(`(async () => {
    const attempt = async (path, init) =>
      fetch('${on.console}' + path, { credentials: 'include', ...init }).then(({ status }) => status, () => 'refused')
    return [
      await attempt('/api/v1/namespaces'),
      await attempt('/console/session'),
      await attempt('/console/session', { method: 'DELETE' }),
      await attempt('/api/v1/namespaces', { method: 'POST', mode: 'no-cors', body: '{}' }),
    ].join(' ')
  })()`)
  assert.equal(
    outcome,
    'refused refused refused refused',
    'the browser reads nothing, and a blind request has no header',
  )
  await page.reload()
  await page.locator('.me').getByText('oidc:jane').waitFor()
  const framed = foreign.frames().find(frame => frame !== foreign.mainFrame())
  assert.equal(await framed?.locator('main').count(), 0)
})
