import { type KubernetesObject, type ObjectRef, refOf } from '../../foundations/kinds/object.ts'
import { ClusterError } from './client.ts'
import { isSecret, maskValues, secretValues } from './mask-secret.ts'

/**
 * The error of a write that a cluster refused, without values of a Secret (KS-291): those that it was to get, and those that it has, which a policy of
 * the cluster may quote as well. `read` reads the Secret as it is, only after a refusal; what the account may not read can't be masked.
 */
export const maskedRefusal = async (
  error: ClusterError,
  written: KubernetesObject,
  read: (ref: ObjectRef) => Promise<KubernetesObject | undefined>,
): Promise<ClusterError> => {
  if (!isSecret(written)) return error
  const live = mayQuote(error) ? await read(refOf(written)).catch(ifUnreadable) : undefined
  const values = secretValues(live ? [written, live] : [written])
  const message = maskValues(values, error.message)
  if (message === error.message) return error
  const causes = error.causes.map(cause => ({ ...cause, message: maskValues(values, cause.message) }))
  return new ClusterError(error.code, message, { status: error.status, reason: error.reason, causes })
}

/** Rejections of a request as such, whatever the object contains. */
const ofRequests = new Set([401, 404, 409, 415, 429])

const mayQuote = ({ status = 0 }: ClusterError): boolean => status >= 400 && !ofRequests.has(status)

const ifUnreadable = (error: unknown): undefined => {
  if (!(error instanceof ClusterError)) throw error
}
