/** metav1.LabelSelector, as in objects. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly {
    readonly key: string
    readonly operator: string
    readonly values?: readonly string[]
  }[]
}

/** The same in Kubernetes' selector syntax; '' selects all. Fails on an unknown operator. */
export const selectorText = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string =>
  [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(({ key, operator, values = [] }) => {
      switch (operator) {
        case 'In':
          return `${key} in (${values.join(',')})`
        case 'NotIn':
          return `${key} notin (${values.join(',')})`
        case 'Exists':
          return key
        case 'DoesNotExist':
          return `!${key}`
        default:
          throw new Error(`"${operator}" is not a valid label selector operator`)
      }
    }),
  ].join(',')
