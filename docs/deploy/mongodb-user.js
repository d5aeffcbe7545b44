// The user with which the containers of the site log in: see compose.yaml.
db.getSiblingDB("admin").createUser({
    user: "socialsite",
    pwd: process.env.MONGODB_PASSWORD,
    roles: [
        {role: "readWrite", db: "socialsite"},
        {role: "readWrite", db: "socialsite_jobs"},
    ],
});
