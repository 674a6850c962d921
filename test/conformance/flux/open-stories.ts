/** Stories recorded of helm-controller that ours does not play as recorded yet, or that were recorded and not replayed yet, and why. */
export const openStories: Readonly<Record<string, string>> = {}
