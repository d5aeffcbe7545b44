// After a follow, other parts of the profile change, too.
export const updateProfile = (fresh, target) => {
  const [posts, freshPosts] = [document, fresh].map((tree) => tree.getElementById("profile-posts"));
  if (!posts || !freshPosts) return;
  if (posts.dataset.postsVisible !== freshPosts.dataset.postsVisible) { location.reload(); return; }
  const ids = ["profile-counts", "profile-menu", "profile-subscription"];
  if (posts.dataset.postsVisible === "no") ids.push(posts.id);
  for (const id of ids) {
    const [old, now] = [document, fresh].map((tree) => tree.getElementById(id));
    if (!old || !now || old.contains(target)) continue;
    old.replaceWith(now);
    htmx.process(now);
  }
};
