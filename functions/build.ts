/** Builds Kustomizations before they are applied: the same work as in apply.ts, up to where a cluster is needed. */
export { handler } from './apply.ts'
