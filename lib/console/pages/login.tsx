import { useEffect, useState } from 'preact/hooks'
import { redeemLink } from '../api/hub-api.ts'

/** Redeems the code of a link, which is in the fragment, so that no server and no log sees it; or says how to get one. */
export const LoginPage = ({ onLoggedIn }: { readonly onLoggedIn: () => void }) => {
  const [failure, setFailure] = useState<string>()
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
      <p>Log in as whoever you are in your kubeconfig. This opens a link that is good for one login:</p>
      <pre>keelson console</pre>
      <p class="quiet">The console shows, and lets you do, what your roles allow.</p>
    </main>
  )
}
