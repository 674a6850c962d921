import { deadlineExceeded, describeFailure } from '../../platform/http/describe-failure.ts'
import { ClusterError } from './client.ts'

/** The error text that users know from Flux and kubectl: `Get "https://host/api": dial tcp 10.0.0.1:6443: connect: connection refused`. */
export const unreachable = (method: string, url: string, error: unknown): ClusterError => {
  const verb = method.charAt(0) + method.slice(1).toLowerCase()
  const { origin: server } = new URL(url)
  const failure = describeFailure(new URL(url), error)
  // client-go adds this for its own timeout.
  const where = failure === deadlineExceeded ? ' (Client.Timeout exceeded while awaiting headers)' : ''
  const problem = failure + where
  // A server with another certificate than the kubeconfig's did respond: that is not an outage.
  const outage = /^(?:tls|x509): /.test(failure) ? undefined : { server, problem }
  return new ClusterError('unreachable', `${verb} "${url}": ${problem}`, { outage, cause: error })
}
