/** Builds Kustomizations ahead of those who apply them: the same work as theirs, up to where a cluster is needed. */
export { handler } from './apply.ts'
