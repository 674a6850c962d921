import { ApiError } from '../../store/hub.ts'

/** As in kube-apiserver: clients wait a second. */
const retryAfterSeconds = 1

/** 429 in Kubernetes' format; client-go and kubectl retry after the seconds of `Retry-After`. */
export const tooManyRequests = (why: string): ApiError =>
  new ApiError(429, 'TooManyRequests', `Too many requests: ${why}, please try again later`, { retryAfterSeconds })
