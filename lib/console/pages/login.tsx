import { useEffect, useState } from 'preact/hooks'
import { withQuery } from '../../hub-client/with-query.ts'
import { readIssuers, redeemLink } from '../api/browser-api.ts'

/** Why a login at an issuer has failed: the address has a word for each, so that no link can put text on this page. */
const failures: Readonly<Record<string, string>> = {
  issuer: 'this hub does not accept logins of that issuer',
  unavailable: 'the issuer does not respond: the log of the hub has the reason',
  expired: 'the login took more than ten minutes, or was begun in another browser',
  refused: 'the issuer refused the login: the log of the hub has the reason',
  size: 'the token of this login does not fit into a cookie: have the issuer send fewer groups',
}

/** Redeems the code of a link, which is in the fragment, so that no server and no log sees it; or says how to get one. */
export const LoginPage = ({ onLoggedIn }: { readonly onLoggedIn: () => void }) => {
  const [failure, setFailure] = useState(() => failures[new URLSearchParams(location.search).get('failure') ?? ''])
  const [issuers, setIssuers] = useState<readonly string[]>([])
  useEffect(() => {
    readIssuers(fetch).then(setIssuers, () => {})
  }, [])
  useEffect(() => {
    const code = location.hash.slice(1)
    if (!code) return
    history.replaceState(null, '', location.pathname + location.search)
    redeemLink(code, fetch).then(
      why => (why === undefined ? onLoggedIn() : setFailure(why)),
      () => setFailure('the hub does not respond'),
    )
  }, [])
  return (
    <main class="login">
      <h1>Keelson</h1>
      {failure && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
      {issuers.map(issuer => (
        <p key={issuer}>
          <a class="button" target="_self" href={withQuery('/console/login', { issuer })}>
            {`Log in at ${new URL(issuer).host}`}
          </a>
        </p>
      ))}
      <p>Log in as whoever you are in your kubeconfig. This opens a link that is good for one login:</p>
      <pre>keelson console</pre>
      <p class="quiet">The console shows, and lets you do, what your roles allow.</p>
    </main>
  )
}
