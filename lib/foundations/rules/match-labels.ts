import type { LabelSelector } from './label-selector-text.ts'

type Labels = Readonly<Record<string, string>>

/** A metav1.LabelSelector as a function; an absent or empty one matches everything. As in Kubernetes, NotIn also matches objects without the label. */
export const matchesSelector =
  ({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}) =>
  (labels: Labels): boolean =>
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const has = Object.hasOwn(labels, key)
      const isIn = has && values.includes(labels[key]!)
      switch (operator) {
        case 'In':
          return isIn
        case 'NotIn':
          return !isIn
        case 'Exists':
          return has
        case 'DoesNotExist':
          return !has
        default:
          throw new Error(`"${operator}" is not a valid label selector operator`)
      }
    })
