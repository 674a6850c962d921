import { ApiError } from '../../store/hub.ts'

/** As kube-apiserver: a client that is told no time waits a second. */
const retryAfterSeconds = 1

/** 429 in Kubernetes' form; client-go and kubectl try again after the seconds of `Retry-After`. */
export const tooManyRequests = (why: string): ApiError =>
  new ApiError(429, 'TooManyRequests', `Too many requests: ${why}, please try again later`, { retryAfterSeconds })
