import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Agent, request } from 'undici'
import { browser } from '../../bed/browser.ts'
import { type DeployedHub, inOrder } from '../deployed-hub.ts'
import { logInAtIssuer } from '../log-in-at-issuer.ts'

const unit = `
apiVersion: v1
kind: Namespace
metadata: {name: shown}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: shown-unit, namespace: shown}
spec: {interval: 1h, prune: true, suspend: true, sourceRef: {kind: GitRepository, name: nothing}}
`

const devsMayView = `
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: devs, namespace: shown}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: flux-view}
subjects: [{kind: Group, name: 'oidc:devs', apiGroup: rbac.authorization.k8s.io}]
`

/** The console of a hub on AWS: its pages come from the API proxy, and what they show from the API, as the person. */
export function showsConsole(hub: DeployedHub): void {
  describe('shows its console', inOrder, () => {
    test('UI-01 keelson console logs in a browser, which sees the units, and learns of changes without a stream', async () => {
      await hub.admin.apply(unit)
      const link = (await hub.admin.keelson('console', '--no-browser', '--kubeconfig', hub.admin.kubeconfig)).trim()
      assert.ok(link.startsWith(`${hub.url}/login#`), link)
      const context = await (await browser()).newContext({ ignoreHTTPSErrors: true })
      const page = await context.newPage()
      const requested: string[] = []
      page.on('request', request => requested.push(request.url()))
      await page.goto(link)
      await page.getByRole('navigation', { name: 'Pages' }).waitFor({ timeout: 120_000 })
      const cookies = await context.cookies()
      assert.deepEqual(
        cookies.map(({ name, httpOnly, secure, sameSite }) => ({ name, httpOnly, secure, sameSite })),
        [{ name: '__Host-keelson-session', httpOnly: true, secure: true, sameSite: 'Strict' }],
      )
      await page.goto(`${hub.url}/units?namespace=shown`)
      await page.getByRole('link', { name: 'shown-unit' }).waitFor({ timeout: 120_000 })
      await page.getByText('Suspended').first().waitFor()
      await hub.admin.kubectl('delete', 'kustomization/shown-unit', '-n', 'shown')
      await page.getByRole('link', { name: 'shown-unit' }).waitFor({ state: 'detached', timeout: 120_000 })
      assert.ok(
        requested.every(address => new URL(address).origin === hub.url),
        'nothing is loaded from elsewhere',
      )
      assert.ok(
        !requested.some(address => address.includes('/console/watch')),
        'a stream would keep a function running',
      )
    })

    test('MC-03 an agent searches the documentation, which the API has in its code', async () => {
      await hub.admin.kubectl('create', 'serviceaccount', 'reader', '-n', 'default')
      const token = (await hub.admin.kubectl('create', 'token', 'reader', '-n', 'default')).trim()
      const dispatcher = new Agent({ connect: { ca: hub.ca } })
      const { statusCode, body } = await request(`${hub.url}/mcp`, {
        ...{ method: 'POST', dispatcher },
        headers: {
          ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
          params: { name: 'search_docs', arguments: { query: 'maintenance windows' } },
        }),
      })
      const text = await body.text()
      await dispatcher.close()
      assert.equal(statusCode, 200, text)
      assert.match(text, /"page":"clusters"/)
    })

    test('UI-02 a used link, and a session that the hub has not signed, let nobody in', async () => {
      const link = (await hub.admin.keelson('console', '--no-browser', '--kubeconfig', hub.admin.kubeconfig)).trim()
      const chromium = await browser()
      const [first, second] = await Promise.all([0, 1].map(() => chromium.newContext({ ignoreHTTPSErrors: true })))
      const page = await first!.newPage()
      await page.goto(link)
      await page.getByRole('navigation', { name: 'Pages' }).waitFor({ timeout: 120_000 })
      const again = await second!.newPage()
      await again.goto(link)
      await again.getByRole('alert').getByText('this link was used').waitFor({ timeout: 120_000 })
      const forged = { name: '__Host-keelson-session', value: 'eyJhbGciOiJub25lIn0.aaaa.', secure: true }
      await second!.addCookies([{ ...forged, url: hub.url }])
      await again.goto(`${hub.url}/units`)
      await again.getByText('keelson console').waitFor({ timeout: 120_000 })
    })

    test('UI-02 a person logs in at the issuer, and sees what their groups may', async () => {
      await hub.admin.apply(unit)
      const { domainName, issuer } = hub
      await hub.admin.apply(devsMayView)
      const context = await (await browser()).newContext({ ignoreHTTPSErrors: true })
      const page = await logInAtIssuer(hub, context)
      await page.locator('.me').getByText('oidc:jane').waitFor({ timeout: 120_000 })
      const cookies = (await context.cookies(hub.url)).filter(({ name }) => name.includes('keelson'))
      assert.deepEqual(
        cookies.map(({ name, httpOnly, secure, sameSite }) => ({ name, httpOnly, secure, sameSite })),
        [{ name: '__Host-keelson-session', httpOnly: true, secure: true, sameSite: 'Strict' }],
        'the cookie of the login is gone',
      )
      await page.goto(`${hub.url}/units?namespace=shown`)
      await page.getByRole('link', { name: 'shown-unit' }).waitFor({ timeout: 120_000 })

      const foreign = await (await (await browser()).newContext({ ignoreHTTPSErrors: true })).newPage()
      await foreign.goto(`${hub.url}/console/callback?state=s&code=c&iss=${issuer.issuer}`)
      await foreign.getByRole('alert').getByText('was begun in another browser').waitFor({ timeout: 120_000 })
      await foreign.goto(`${hub.url}/console/login?issuer=https://${domainName}`)
      await foreign.getByRole('alert').getByText('does not accept logins of that issuer').waitFor({ timeout: 120_000 })
    })
  })
}
